package io.ratelimit.redis;

import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.StoreListener;
import io.ratelimit.internal.Listeners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Creates and holds the batchers of a limiter: one for a single Redis, one for each slot in use of a Cluster.
 * Thread-safe.
 */
final class Batchers implements AutoCloseable {

    private static final int ONLY = 0;

    private final RedisConnections connections;
    private final StateKeyFormat stateKeys;
    private final CommandRunner runner;
    private final String clockText;
    private final Duration timeout;
    private final ScheduledExecutorService scheduler;
    private final Executor completions;
    private final Listeners<StoreListener> listeners;
    private final Map<Integer, Batcher> bySlot = new ConcurrentHashMap<>();
    private final Map<String, Node> nodes = new ConcurrentHashMap<>();
    private final Map<Set<Algorithm>, EngineScript> scripts = new ConcurrentHashMap<>();
    private final Map<Set<Algorithm>, EngineScript> scriptsWithBans = new ConcurrentHashMap<>();
    private final Runnable removeListener;

    Batchers(
            RedisConnections connections,
            CommandRunner runner,
            StateKeyFormat stateKeys,
            String clockText,
            Duration timeout,
            ScheduledExecutorService scheduler,
            Executor completions,
            Listeners<StoreListener> listeners) {
        this.connections = connections;
        this.stateKeys = stateKeys;
        this.runner = runner;
        this.clockText = clockText;
        this.timeout = timeout;
        this.scheduler = scheduler;
        this.completions = completions;
        this.listeners = listeners;
        EngineScript.readAll();
        removeListener = connections.whenRestored(() -> nodes.values().forEach(Node::reconnected));
    }

    Batcher of(Charge charge) {
        int slot = slot(charge);
        Batcher known = bySlot.get(slot);
        return known != null ? known : bySlot.computeIfAbsent(slot, this::newBatcher);
    }

    int slot(Charge charge) {
        return connections.isCluster() ? SlotHash.getSlot(stateKeys.key(charge)) : ONLY;
    }

    /** Returns the breakers of the nodes that serve the slots in use now, by the nodes' ids. */
    Map<String, BreakerState> breakers() {
        Map<String, BreakerState> states = new TreeMap<>();
        bySlot.keySet()
                .forEach(slot -> states.put(connections.node(slot), node(slot).breakerState()));
        return states;
    }

    List<PendingCall> outstanding() {
        List<PendingCall> outstanding = new ArrayList<>();
        bySlot.values().forEach(batcher -> outstanding.addAll(batcher.outstanding()));
        return outstanding;
    }

    /** Fails all calls that are outstanding. */
    @Override
    public void close() {
        removeListener.run();
        bySlot.values().forEach(Batcher::failAll);
    }

    private Batcher newBatcher(int slot) {
        StoreClock storeClock = new StoreClock(() -> node(slot).clock());
        return new Batcher(
                () -> node(slot),
                batch -> run(batch, storeClock),
                storeClock,
                timeout,
                scheduler,
                completions,
                listeners);
    }

    private Node node(int slot) {
        String id = connections.node(slot);
        Node known = nodes.get(id); // looked up for each call, of which computeIfAbsent() would be a tenth
        return known != null ? known : nodes.computeIfAbsent(id, unknown -> new Node());
    }

    private CompletableFuture<byte[]> run(Batch batch, StoreClock storeClock) {
        boolean bans = batch.hasBans();
        EngineScript script = (bans ? scriptsWithBans : scripts)
                .computeIfAbsent(batch.algorithms(), algorithms -> EngineScript.of(clockText, algorithms, bans));
        byte[] request = EngineRequest.of(batch, storeClock.microsAt(batch.earliestDeadlineNanos()));
        return runner.run(script, batch.keys(stateKeys), request);
    }
}

package io.ratelimit.internal.redis;

import io.ratelimit.StoreListener;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** The batchers, one for a single Redis or one for each slot in use of a Cluster, and the nodes that they send to. Thread-safe. */
final class Batchers implements AutoCloseable {

    private final RedisConnections connections;
    private final StateKeyFormat stateKeys;
    private final CommandRunner runner;
    private final String clockText;
    private final Duration timeout;
    private final Patience patience;
    private final ScheduledExecutorService scheduler;
    private final Executor callbacks;
    private final OpenCalls open;
    private final Listeners<StoreListener> listeners;
    private final Map<Integer, Batcher> bySlot = new ConcurrentHashMap<>();
    private final Map<String, Node> nodes = new ConcurrentHashMap<>();
    private final Map<SortedSet<String>, EngineScript> scripts = new ConcurrentHashMap<>();
    private final Runnable removeListener;

    /**
     * @param clockText what stands first in the script
     * @param open the calls in flight
     */
    Batchers(
            RedisConnections connections,
            StateKeyFormat stateKeys,
            CommandRunner runner,
            String clockText,
            Duration timeout,
            Patience patience,
            ScheduledExecutorService scheduler,
            Executor callbacks,
            OpenCalls open,
            Listeners<StoreListener> listeners) {
        this.connections = connections;
        this.stateKeys = stateKeys;
        this.runner = runner;
        this.clockText = clockText;
        this.timeout = timeout;
        this.patience = patience;
        this.scheduler = scheduler;
        this.callbacks = callbacks;
        this.open = open;
        this.listeners = listeners;
        EngineScript.readAll();
        removeListener = connections.whenRestored(() -> nodes.values().forEach(Node::reconnected));
    }

    Batcher of(int slot) {
        Batcher known = bySlot.get(slot);
        return known != null ? known : bySlot.computeIfAbsent(slot, this::newBatcher);
    }

    /** Returns the breakers of the nodes that serve the slots in use now, by the nodes' ids. */
    Map<String, BreakerState> breakers() {
        Map<String, BreakerState> states = new TreeMap<>();
        bySlot.keySet()
                .forEach(slot -> states.put(connections.node(slot), node(slot).breakerState()));
        return states;
    }

    /** Returns whether calls are under way that {@link #outstanding} may not see. */
    boolean areSending() {
        return bySlot.values().stream().anyMatch(Batcher::isSending);
    }

    /** Returns the ends of the calls that are not answered. */
    List<CompletableFuture<?>> outstanding() {
        List<CompletableFuture<?>> outstanding = new ArrayList<>();
        bySlot.values().stream()
                .flatMap(batcher -> batcher.outstanding().stream())
                .filter(call -> !call.isAnswered())
                .forEach(call -> outstanding.add(call.done()));
        return outstanding;
    }

    /** Fails what is outstanding. May be called again, for calls that came meanwhile. */
    @Override
    public void close() {
        removeListener.run();
        bySlot.values().forEach(Batcher::failAll);
    }

    private Batcher newBatcher(int slot) {
        Node.Clock storeClock = new Node.Clock(() -> node(slot).clock());
        return new Batcher(
                () -> node(slot),
                batch -> run(batch, storeClock),
                storeClock,
                timeout,
                scheduler,
                callbacks,
                open,
                listeners);
    }

    private Node node(int slot) {
        String id = connections.node(slot);
        Node known = nodes.get(id); // looked up for each call, of which computeIfAbsent() would be a tenth
        return known != null ? known : nodes.computeIfAbsent(id, unknown -> new Node(patience, this::lookForMaster));
    }

    /** Passes on nothing that the connections of an application throw: calls would not be completed. */
    private void lookForMaster(boolean isReplica) {
        listeners.safely(connections, own -> own.lookForMaster(isReplica));
    }

    private CompletableFuture<byte[]> run(Batch batch, Node.Clock storeClock) {
        EngineScript script =
                scripts.computeIfAbsent(batch.fragments(), fragments -> EngineScript.of(clockText, fragments));
        byte[] request = EngineRequest.of(batch, storeClock.microsAt(batch.decidedUntilNanos()));
        return runner.run(script, batch.keys(stateKeys), request);
    }
}

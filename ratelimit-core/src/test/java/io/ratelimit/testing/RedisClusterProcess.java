package io.ratelimit.testing;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A Redis Cluster of the tests' own: three masters unless said, and as many slots each. */
public final class RedisClusterProcess implements AutoCloseable {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final int BUS_OFFSET = 10_000;

    private final List<RedisProcess> masters;
    private final List<RedisProcess> replicas = new ArrayList<>();

    private RedisClusterProcess(List<RedisProcess> masters) {
        this.masters = masters;
    }

    /** Starts one in which a replica soon takes the place of a dead master, and waits until every master answers. */
    public static RedisClusterProcess start() {
        return start(MASTERS);
    }

    public static RedisClusterProcess start(int number) {
        List<RedisProcess> masters =
                Stream.generate(RedisClusterProcess::startMaster).limit(number).toList();
        for (int i = 0; i < number; i++) {
            int[] slots = IntStream.range(i * SLOTS / number, (i + 1) * SLOTS / number)
                    .toArray();
            int epoch = i + 1;
            masters.get(i).ask(redis -> redis.clusterSetConfigEpoch(epoch));
            masters.get(i).ask(redis -> redis.clusterAddSlots(slots));
            // all of them at once: from hearsay they would know each other seconds later
            List<RedisProcess> earlier = masters.subList(0, i);
            masters.get(i)
                    .ask(redis -> earlier.stream()
                            .map(master -> redis.clusterMeet("127.0.0.1", master.port()))
                            .toList());
        }
        RedisClusterProcess cluster = new RedisClusterProcess(masters);
        masters.forEach(cluster::awaitAllSlots);
        return cluster;
    }

    /**
     * Returns the one that the tests of this process share, without replicas. Whoever stops a master lets it go on, and who
     * moves a slot takes that of a subject of its own. It tolerates masters that stand still for a minute.
     */
    public static RedisClusterProcess shared() {
        return Shared.CLUSTER;
    }

    private static final class Shared {
        static final RedisClusterProcess CLUSTER = start();

        static {
            // not from the start: the masters get to know each other the sooner the shorter it is
            CLUSTER.masters.forEach(master -> master.ask(redis -> redis.configSet("cluster-node-timeout", "60000")));
        }
    }

    /** Returns the URI of one master, from which clients discover the others. */
    public String uri() {
        return masters.get(0).uri();
    }

    /** In the order of their slots: the first third is the first one's. */
    public List<RedisProcess> masters() {
        return masters;
    }

    /** Masters and replicas, dead ones too. */
    public List<RedisProcess> servers() {
        return Stream.concat(masters.stream(), replicas.stream()).toList();
    }

    /** The master that has this slot. */
    public RedisProcess masterOf(int slot) {
        return IntStream.range(0, masters.size())
                .filter(i -> slot < (i + 1) * SLOTS / masters.size())
                .mapToObj(masters::get)
                .findFirst()
                .orElseThrow();
    }

    /** Adds a replica of a master, which takes its place when it dies, and waits until it is in sync. */
    public RedisProcess addReplicaOf(RedisProcess master) {
        RedisProcess replica = startMaster();
        replicas.add(replica);
        replica.ask(redis -> redis.clusterMeet("127.0.0.1", master.port()));
        String id = master.ask(RedisCommands::clusterMyId);
        Awaitility.await("the replica to know its master")
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> replica.ask(RedisCommands::clusterNodes).contains(id)
                        && replica.ask(RedisCommands::clusterInfo).contains("cluster_state:ok"));
        replica.ask(redis -> redis.clusterReplicate(id));
        Awaitility.await("a replica in sync")
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> replica.ask(redis -> redis.info("replication")).contains("master_link_status:up"));
        return replica;
    }

    /** Moves a slot and what is in it to another master, key by key, as a cluster that grows does. */
    public void moveSlot(int slot, RedisProcess from, RedisProcess to) {
        String fromId = from.ask(RedisCommands::clusterMyId);
        String toId = to.ask(RedisCommands::clusterMyId);
        to.ask(redis -> redis.clusterSetSlotImporting(slot, fromId));
        from.ask(redis -> redis.clusterSetSlotMigrating(slot, toId));
        from.ask(redis -> {
            List<String> keys = redis.clusterGetKeysInSlot(slot, 1_000);
            keys.forEach(key -> redis.migrate("127.0.0.1", to.port(), key, 0, 60_000));
            return keys.size();
        });
        masters.forEach(master -> master.ask(redis -> redis.clusterSetSlotNode(slot, toId)));
    }

    @Override
    public void close() {
        replicas.forEach(RedisProcess::close);
        masters.forEach(RedisProcess::close);
    }

    private static RedisProcess startMaster() {
        return RedisProcess.startOn(
                RedisClusterProcess::portWithBus, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
    }

    /** A free port whose bus port, which is 10,000 above, is free as well. */
    private static int portWithBus() {
        return Stream.generate(RedisProcess::freePort)
                .filter(port -> RedisProcess.isFree(port + BUS_OFFSET))
                .findFirst()
                .orElseThrow();
    }

    /** Waits until that master knows of one for every slot. */
    public void awaitAllSlots(RedisProcess master) {
        Awaitility.await("cluster on port " + master.port())
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    String info = master.ask(RedisCommands::clusterInfo);
                    return info.contains("cluster_state:ok")
                            && info.contains("cluster_known_nodes:" + (masters.size() + replicas.size()));
                });
    }
}

package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreFailuresTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY You can't write against a read only replica. script: 05e5, on @user_script:12.",
                "ERR Error running script (call to f_05e5): @user_script:12: @user_script: 12: -READONLY You can't write against a read only replica.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "LOADING Redis is loading the dataset in memory",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "CLUSTERDOWN The cluster is down",
                "CLUSTERDOWN Hash slot not served",
                "NOREPLICAS Not enough good replicas to write.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "NOAUTH Authentication required.",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOPERM User limiter has no permissions to run the 'eval' command",
                "NOPERM this user has no permissions to access one of the keys used as arguments",
                "NOPERM No permissions to access a key",
                "MOVED 3999 127.0.0.1:6381",
            })
    void errorsOfANodeThatMayDecideLater(String message) {
        assertThat(StoreFailures.isNotNow(new RedisCommandExecutionException(message)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR user_script:7: bad argument #2 to 'unpack' (data string too short)",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "NOPERM this user has no permissions to run the 'psetex' command",
                "NOPERM The user executing the script can't access at least one of the keys mentioned in the command arguments",
                "BUSYKEY Target key name already exists.",
            })
    void errorsThatMayComeAfterAWriteOrComeAgain(String message) {
        assertThat(StoreFailures.isNotNow(new RedisCommandExecutionException(message)))
                .isFalse();
    }

    @Test
    void whatRedisDidNotAnswerMayHaveBeenDecided() {
        assertThat(StoreFailures.isNotNow(new RedisException("READONLY said somebody else")))
                .isFalse();
    }
}

package io.lockyard.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockyard.LockyardClient;
import io.lockyard.Wire;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ShedLock's own contract, on the server that {@code LOCKYARD_URL} names. */
class LockyardLockProviderTest extends AbstractExtensibleLockProviderIntegrationTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final LockyardClient client = new LockyardClient();
  private String prefix;
  private LockyardLockProvider provider;

  @BeforeEach
  void beginWithFreeLocks() {
    prefix = "shedlock:" + UUID.randomUUID() + ":";
    provider = new LockyardLockProvider(client, prefix);
  }

  @Override
  protected ExtensibleLockProvider getLockProvider() {
    return provider;
  }

  @Test
  void aTaskThatWasInterruptedFreesItsLock() {
    Duration atMost = Duration.ofMinutes(5);
    LockConfiguration task =
        new LockConfiguration(Instant.now(), "interrupted", atMost, Duration.ZERO);
    SimpleLock lock = provider.lock(task).orElseThrow();
    Thread.currentThread().interrupt();
    lock.unlock();
    assertThat(Thread.interrupted()).isTrue();
    assertUnlocked("interrupted");
  }

  /** A lease of a few milliseconds ends after a second. */
  @Override
  protected void assertUnlocked(String lockName) {
    Instant until = Instant.now().plus(PATIENCE);
    while (state(lockName).equals("held") && Instant.now().isBefore(until)) {
      sleepFor(Duration.ofMillis(10));
    }
    assertThat(state(lockName)).isNotEqualTo("held");
  }

  @Override
  protected void assertLocked(String lockName) {
    assertThat(state(lockName)).isEqualTo("held");
  }

  private String state(String lockName) {
    try {
      return client.inspect(new Wire.LockInspectInput().name(prefix + lockName)).state();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }
}

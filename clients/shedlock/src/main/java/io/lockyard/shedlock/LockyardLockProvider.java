package io.lockyard.shedlock;

import io.lockyard.Lease;
import io.lockyard.LockOptions;
import io.lockyard.LockTimeout;
import io.lockyard.LockyardClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * Keeps the locks of ShedLock in Lockyard, where operators see who runs which task, and since when.
 *
 * <p>{@code lockAtMostFor} is the lease, and Lockyard keeps the lock for {@code lockAtLeastFor} at
 * least. A {@code lockAtMostFor} of less than a second keeps the lock for a second if the process
 * dies: a lease hardly longer than a request would expire before the task starts.
 *
 * <p>Throws if Lockyard does not answer, so that ShedLock does not run the task.
 */
public final class LockyardLockProvider implements ExtensibleLockProvider {
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

  private final LockyardClient client;
  private final String prefix;

  public LockyardLockProvider(LockyardClient client) {
    this(client, "");
  }

  /**
   * @param prefix prepended to the names of all locks, such as {@code shedlock:}
   */
  public LockyardLockProvider(LockyardClient client, String prefix) {
    this.client = client;
    this.prefix = prefix;
  }

  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    Duration atLeast = configuration.getLockAtLeastFor();
    LockOptions options =
        new LockOptions()
            .waitFor(Duration.ZERO)
            .lease(leaseOf(configuration.getLockAtMostFor()))
            .meta(Map.of("scheduler", "shedlock"));
    if (atLeast.toMillis() > 0) {
      options.holdAtLeast(atLeast);
    }
    try {
      Lease lease = client.acquireLease(prefix + configuration.getName(), options);
      return Optional.of(new LockyardLock(lease, configuration, atLeast));
    } catch (LockTimeout heldByOthers) {
      return Optional.empty();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new LockException("Interrupted while locking \"" + configuration.getName() + "\".");
    }
  }

  static boolean isShort(Duration atMost) {
    return atMost.compareTo(SHORTEST_LEASE) < 0;
  }

  static Duration leaseOf(Duration atMost) {
    return isShort(atMost) ? SHORTEST_LEASE : atMost;
  }
}

package io.lockyard.shedlock;

import io.lockyard.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lock of ShedLock that Lockyard has granted. */
final class LockyardLock extends AbstractSimpleLock {
  private static final Logger LOG = LoggerFactory.getLogger(LockyardLock.class);

  /** Releases what is kept after its task, where an extension has asked for that. */
  private static final ScheduledExecutorService LATER =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "lockyard-shedlock-release");
            thread.setDaemon(true);
            return thread;
          });

  private final Lease lease;
  private final Duration keptByServer;

  /**
   * @param keptByServer for how long Lockyard itself keeps the lock at least
   */
  LockyardLock(Lease lease, LockConfiguration configuration, Duration keptByServer) {
    super(configuration);
    this.lease = lease;
    this.keptByServer = keptByServer;
  }

  @Override
  protected void doUnlock() {
    Instant keptUntil = lockConfiguration.getLockAtLeastUntil();
    long leftMs = Duration.between(ClockProvider.now(), keptUntil).toMillis();
    boolean isKeptByServer = keptByServer.compareTo(lockConfiguration.getLockAtLeastFor()) >= 0;
    if (leftMs > 0 && !isKeptByServer) {
      // Should this process end before, the lock is free at the end of its lease.
      LATER.schedule(this::releaseLater, leftMs, TimeUnit.MILLISECONDS);
    } else {
      lease.release();
    }
  }

  private void releaseLater() {
    try {
      lease.release();
    } catch (RuntimeException failure) {
      String name = lockConfiguration.getName();
      LOG.warn("\"{}\" may stay locked until its lease ends: not released.", name, failure);
    }
  }

  @Override
  protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
    // A lease of less than a second has been rounded up: for ShedLock it is over.
    if (lockConfiguration.getLockAtMostUntil().isBefore(ClockProvider.now())) {
      lease.release();
      return Optional.empty();
    }
    Duration atMost = extended.getLockAtMostFor();
    boolean isShort = atMost.compareTo(LockyardLockProvider.SHORTEST_LEASE) < 0;
    try {
      boolean isExtended = lease.extend(isShort ? LockyardLockProvider.SHORTEST_LEASE : atMost);
      // Thrown, it leaves this lock one that can be unlocked.
      if (!isExtended && lease.remainingMs() > 0) {
        throw new LockException(
            "An operator has blocked the renewals of \"" + extended.getName() + "\".");
      }
      // The server counts its least time from the grant, and an extension counts from now.
      return isExtended
          ? Optional.of(new LockyardLock(lease, extended, Duration.ZERO))
          : Optional.empty();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new LockException("Interrupted while extending \"" + extended.getName() + "\".");
    }
  }
}

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

/** A ShedLock lock that Lockyard has granted. */
final class LockyardLock extends AbstractSimpleLock {
  private static final Logger LOG = LoggerFactory.getLogger(LockyardLock.class);

  /** Releases locks whose minimum time, after an extension, outlasts their task. */
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
   * @param keptByServer the minimum time for which Lockyard itself keeps the lock
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
      // If this process ends before, the lock frees at the end of its lease.
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
    // A lease of less than a second was rounded up: for ShedLock it has expired. Of any other, the
    // server knows: a clock that was set forward must not free the lock of a task that is running.
    boolean wasRounded = LockyardLockProvider.isShort(lockConfiguration.getLockAtMostFor());
    if (wasRounded && lockConfiguration.getLockAtMostUntil().isBefore(ClockProvider.now())) {
      lease.release();
      return Optional.empty();
    }
    try {
      boolean isExtended =
          lease.extend(LockyardLockProvider.leaseOf(extended.getLockAtMostFor()));
      // An exception, unlike an empty result, leaves this lock one that can be unlocked.
      if (!isExtended && lease.remainingMs() > 0) {
        throw new LockException(
            "\"" + extended.getName() + "\" is not extended for that long: an operator has blocked"
                + " its renewals, or its namespace does not allow so long a lease.");
      }
      // The server counts its minimum time from the grant, but an extension counts from now.
      return isExtended
          ? Optional.of(new LockyardLock(lease, extended, Duration.ZERO))
          : Optional.empty();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new LockException("Interrupted while extending \"" + extended.getName() + "\".");
    }
  }
}

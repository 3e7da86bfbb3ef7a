package io.lockyard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A lock that was acquired for a fixed time and is not renewed automatically: for schedulers that
 * manage that time. {@link LockyardClient#withLock} is for everything else.
 */
public final class Lease implements AutoCloseable {
  private static final long ROUNDING = 2;

  private final LockyardClient client;
  private final Map<String, Object> reference;
  private final long token;
  private final String releaseId = LockyardClient.newRequestId();
  private long provenUntil;
  private boolean isOver;

  Lease(LockyardClient client, Wire.LockAcquireInput ask, GrantWait.Grant grant) {
    this.client = client;
    this.reference = Hold.reference(ask.asMap(), grant.token);
    this.token = grant.token;
    this.provenUntil = grant.provenUntil();
  }

  /** The fencing token: send it with every write to a resource that can refuse a stale one. */
  public long token() {
    return token;
  }

  /**
   * How many milliseconds of the lease are certainly left, by a monotonic clock. 0 once an answer
   * has said that the hold has ended.
   */
  public synchronized long remainingMs() {
    return isOver ? 0 : Math.max(0, provenUntil - Timing.now());
  }

  /**
   * Restarts the lease, and never shortens it.
   *
   * @return whether it lasts for that long; false: the hold has ended for good, or it ends after
   *     {@link #remainingMs}, since an operator has stopped its renewals, or its namespace does not
   *     allow so long a lease
   * @throws LockyardException no answer: it may have been extended
   */
  public boolean extend(Duration lease) throws InterruptedException {
    Map<String, Object> renewal = new LinkedHashMap<>(reference);
    renewal.put("leaseMs", lease.toMillis());
    long until = Timing.now() + Math.min(Timing.RETRY_BUDGET, remainingMs());
    return Timing.retryingGranted(
        () -> until,
        () -> {
          long sentAt = Timing.now();
          Wire.RenewAnswer answer =
              new Wire.RenewAnswer(client.call("lock.renew", "mutation", renewal));
          if (!answer.outcome().equals("renewed")) {
            end();
            return false;
          }
          long left = answer.expiresInMs();
          prolong(sentAt + left - Timing.drift(left));
          // The server subtracts the time that its answer takes.
          long granted = left + Timing.now() - sentAt + ROUNDING;
          return answer.renewalsStopped() == null && granted >= lease.toMillis();
        });
  }

  /**
   * Ends the hold, once, however often the request is retried; also in an interrupted thread, and
   * when called again after an exception. Without an answer it ends with the lease, but within 10 s
   * at the latest, and after 2 s at the earliest.
   *
   * @return whether it was live until now
   * @throws LockyardException no answer: the lock may stay held until its lease ends
   */
  public boolean release() {
    Map<String, Object> step = new LinkedHashMap<>(reference);
    step.put("requestId", releaseId);
    long budget = Math.max(Timing.TIDY_UP, Math.min(Timing.RETRY_BUDGET, remainingMs()));
    long until = Timing.now() + budget;
    Map<String, Object> answer =
        Timing.releasing(
            () -> until,
            () -> {
              long timeout = Math.min(Timing.ANSWER_WITHIN, until - Timing.now());
              return client.send("lock.release", "mutation", step, timeout, null);
            });
    end();
    return !"lost".equals(answer.get("outcome"));
  }

  /**
   * Releases it, unless an answer has said that it has ended: for {@code try (Lease lease = …)}.
   *
   * @throws LockyardException no answer: the lock may stay held until its lease ends
   */
  @Override
  public void close() {
    if (!hasEnded()) {
      release();
    }
  }

  private synchronized boolean hasEnded() {
    return isOver;
  }

  private synchronized void end() {
    isOver = true;
  }

  private synchronized void prolong(long proven) {
    provenUntil = Math.max(provenUntil, proven);
  }
}

package io.lockyard;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A granted lock, as the work under it receives it. It is renewed every third of its lease.
 */
public final class Hold {
  /** The holds under which the current thread runs, the innermost first. */
  private static final ThreadLocal<Deque<Hold>> AROUND = ThreadLocal.withInitial(ArrayDeque::new);

  /** So that a hold that is about to end does not send one renewal after another. */
  private static final long RENEW_AFTER_MIN = 100;

  private final LockyardClient client;
  private final Map<String, Object> ask;
  private final long leaseMs;
  private final long token;
  private final long waitedMs;
  private final String waitedForTraceparent;
  private final Thread worker = Thread.currentThread();
  private final List<LockOptions> listeners = new CopyOnWriteArrayList<>();
  private long expiresAt;
  private long provenUntil;
  private long renewAt;

  /** When the last answered renewal was sent. */
  private long renewedSince = Long.MIN_VALUE;

  private LockyardException lastFailure;
  private LockLost loss;
  private boolean isOver;
  private boolean wasInterrupted;
  private Wire.Remark asked;
  private Wire.Remark stopped;
  private Thread renewer;

  /** Listeners are being called, by the thread that renews, which must not be interrupted then. */
  private boolean isNotifying;

  Hold(LockyardClient client, Wire.LockAcquireInput ask, GrantWait.Grant grant) {
    this.client = client;
    this.ask = ask.asMap();
    this.leaseMs = (Long) this.ask.get("leaseMs");
    this.token = grant.token;
    this.waitedMs = grant.waitedMs;
    this.waitedForTraceparent = grant.waitedForTraceparent;
    this.expiresAt = grant.expiresAt;
    this.provenUntil = grant.provenUntil();
    this.renewAt = grant.sentAt + renewAfter(grant.expiresInMs);
  }

  public String namespace() {
    return (String) ask.get("namespace");
  }

  public String name() {
    return (String) ask.get("name");
  }

  /** The fencing token: send it with every write to a resource that can refuse a stale one. */
  public long token() {
    return token;
  }

  /** How long the call waited for the grant, in milliseconds. */
  public long waitedMs() {
    return waitedMs;
  }

  /** That of the hold that it waited for, if it is of the same service; null if unknown. */
  public String waitedForTraceparent() {
    return waitedForTraceparent;
  }

  /** The end of the lease in the last answer, in epoch milliseconds of the backend's clock. */
  public synchronized long expiresAt() {
    return expiresAt;
  }

  /**
   * How many milliseconds of the lease are certainly left: counted on a monotonic clock from before
   * the request was sent, less an allowance for drift. 0 once the hold is lost or the work has
   * ended.
   */
  public synchronized long remainingMs() {
    return isOver || loss != null ? 0 : Math.max(0, provenUntil - Timing.now());
  }

  /** Throws {@link LockLost} unless the lease is certainly valid: call it before each step. */
  public void check() {
    LockLost found = checkLost();
    if (found != null) {
      throw found;
    }
    // Not by `remainingMs`: the lease may run out at this moment, and the work has not ended then.
    if (isFinished()) {
      throw endedLoss();
    }
  }

  /**
   * The remark of an operator who asks for the lock, or has stopped its renewals: the work should
   * finish soon. Null if there is none.
   */
  public synchronized Wire.Remark askedToRelease() {
    return asked == null ? stopped : asked;
  }

  /**
   * The operator's remark once renewals no longer extend this hold, which ends at {@link
   * #expiresAt}; null before.
   */
  public synchronized Wire.Remark renewalsStopped() {
    return stopped;
  }

  /** The hold under which the caller already runs, if it covers the request; otherwise null. */
  static Hold around(LockyardClient client, Wire.LockAcquireInput asked, boolean namesOwner) {
    Map<String, Object> ask = asked.asMap();
    for (Hold hold : AROUND.get()) {
      boolean isSame = hold.client == client && hold.has("name", ask) && hold.has("namespace", ask);
      if (isSame && (!namesOwner || hold.has("owner", ask))) {
        hold.check();
        hold.refuseUpgrade(ask);
        return hold;
      }
    }
    return null;
  }

  <T, X extends Exception> T work(LockOptions options, LockyardClient.Work<T, X> work)
      throws X, InterruptedException {
    listeners.add(options);
    T result = null;
    Throwable error = null;
    if (checkLost() == null) {
      AROUND.get().push(this);
      try {
        startRenewing();
        result = work.run(this);
      } catch (Throwable thrown) {
        error = thrown;
      } finally {
        AROUND.get().pop();
      }
    }
    boolean interrupted = stop();
    LockyardException failure = release();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    LockLost lost = checkLost();
    if (lost != null) {
      throw lost.causedBy(ownErrorIn(error));
    }
    if (error != null) {
      throw Hold.<X>as(error);
    }
    if (failure != null) {
      throw new ReleaseUnconfirmed(name(), token, result, failure);
    }
    return result;
  }

  /** Runs work under the hold of an outer call, without any request. */
  <T, X extends Exception> T workWithin(LockOptions options, LockyardClient.Work<T, X> work)
      throws X, InterruptedException {
    listen(options);
    T result = null;
    Throwable error = null;
    try {
      result = work.run(this);
    } catch (Throwable thrown) {
      error = thrown;
    } finally {
      listeners.remove(options);
    }
    LockLost lost = checkLost();
    if (lost != null) {
      throw lost.causedBy(ownErrorIn(error));
    }
    if (error != null) {
      throw Hold.<X>as(error);
    }
    return result;
  }

  /** Passes on operators' messages, past ones included. */
  private void listen(LockOptions each) {
    Wire.Remark askedBefore;
    Wire.Remark stoppedBefore;
    synchronized (this) {
      listeners.add(each);
      askedBefore = asked;
      stoppedBefore = stopped;
    }
    notify(each.onAskedToRelease, askedBefore);
    notify(each.onRenewalsStopped, stoppedBefore);
  }

  /** Reads the clock, since the watchdog may be late. Null while the lease is certainly valid. */
  private LockLost checkLost() {
    LockyardException failure;
    synchronized (this) {
      if (isOver || loss != null || provenUntil - Timing.now() > 0) {
        return loss;
      }
      failure = lastFailure;
    }
    lose("unrenewed", null, null, null, failure);
    return loss();
  }

  private synchronized LockLost loss() {
    return loss;
  }

  private LockLost endedLoss() {
    return new LockLost(name(), token, "released", null, null, null, null);
  }

  private synchronized void lose(
      String why, Long at, String by, String reason, LockyardException cause) {
    if (loss != null) {
      return;
    }
    loss = new LockLost(name(), token, why, at, by, reason, cause);
    if (!isOver && Thread.currentThread() != worker) {
      wasInterrupted = true;
      worker.interrupt();
    }
    notifyAll();
  }

  /**
   * What the work threw, unless that is only our own interrupt. An interrupt of the caller's is set
   * again: code that handles the loss would otherwise miss it.
   */
  private synchronized Throwable ownErrorIn(Throwable error) {
    boolean isInterrupt = error instanceof InterruptedException;
    if (isInterrupt && wasInterrupted) {
      return null;
    }
    if (isInterrupt) {
      Thread.currentThread().interrupt();
    }
    return error;
  }

  /**
   * Ends the renewals. A hold that expired unnoticed counts as lost. Returns whether the caller was
   * interrupted for a reason of its own, and clears that for the release.
   */
  private boolean stop() {
    checkLost();
    boolean interrupted;
    synchronized (this) {
      isOver = true;
      interrupted = Thread.interrupted() && !wasInterrupted;
      notifyAll();
      if (renewer != null && !isNotifying) {
        renewer.interrupt();
      }
    }
    return interrupted;
  }

  /** Releases the hold. Null: released, lost as {@link #loss} says, or nothing to release. */
  private LockyardException release() {
    LockLost lost = loss();
    if (lost != null && !lost.why().equals("unrenewed")) {
      return null;
    }
    long end = Timing.now() + (lost != null ? Timing.TIDY_UP : Timing.RETRY_BUDGET);
    long until = lost != null ? end : Math.min(end, provenUntil);
    Map<String, Object> step = reference();
    step.put("requestId", LockyardClient.newRequestId());
    try {
      Wire.ReleaseAnswer answer =
          new Wire.ReleaseAnswer(
              Timing.releasing(
                  () -> until,
                  () -> {
                    long timeout = Math.min(Timing.ANSWER_WITHIN, end - Timing.now());
                    return client.send("lock.release", "mutation", step, timeout, null);
                  }));
      if (answer.outcome().equals("lost")) {
        lose(answer.cause(), answer.at(), answer.by(), answer.reason(), null);
      }
      return null;
    } catch (LockyardException failure) {
      return failure;
    }
  }

  private void startRenewing() {
    renewer = new Thread(this::keepRenewing, "lockyard-renew-" + name());
    renewer.setDaemon(true);
    renewer.start();
  }

  private void keepRenewing() {
    int failures = 0;
    try {
      while (awaitRenewal() && checkLost() == null) {
        try {
          renew();
          failures = 0;
        } catch (RuntimeException | Error thrown) {
          LockyardException failure = failureOf(thrown);
          // While the lease lasts, any failure may pass: retry, sooner for a short lease.
          long delay = Timing.retryDelay(failures++, failure.retryAfterMs());
          synchronized (this) {
            lastFailure = failure;
            renewAt = Timing.now() + Math.min(delay, leaseMs / 6);
          }
        }
      }
    } catch (InterruptedException ended) {
      // The work has ended.
    }
  }

  /** Nothing thrown may end the thread, which also notices the end of the lease. */
  private static LockyardException failureOf(Throwable thrown) {
    return thrown instanceof LockyardException
        ? (LockyardException) thrown
        : LockyardException.broken("A renewal failed (" + thrown + ").", thrown);
  }

  /** Waits until a renewal is due, or the lease may have expired; false: the hold has ended. */
  private synchronized boolean awaitRenewal() throws InterruptedException {
    while (!isOver && loss == null) {
      long delay = Math.min(renewAt, provenUntil) - Timing.now();
      if (delay <= 0) {
        return true;
      }
      wait(delay);
    }
    return false;
  }

  /**
   * One attempt. Returns before its answer if that takes a third of the lease: a short lease would
   * nearly have expired by then, so the next attempt starts while this one is open. That may be
   * answered after the present end of the lease, which another answer may move.
   */
  void renew() throws InterruptedException {
    long left = certainlyLeft();
    long timeout = Timing.renewalTimeout(leaseMs);
    if (leaseMs / 3 >= Timing.SLOW_ANSWER) {
      askToRenew(Math.min(timeout, left));
      return;
    }
    long overdue = Math.max(1, Math.min(leaseMs / 3, left));
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread asking =
        new Thread(
            () -> {
              try {
                askToRenew(timeout);
              } catch (InterruptedException | RuntimeException | Error thrown) {
                failure.set(thrown);
              }
            },
            "lockyard-renewal-" + name());
    asking.setDaemon(true);
    asking.start();
    asking.join(overdue);
    boolean isOverdue = asking.isAlive();
    if (failure.get() != null) {
      throw failureOf(failure.get());
    }
    if (isOverdue) {
      throw new LockyardException("UNKNOWN", "No answer within " + overdue + " ms.");
    }
  }

  private synchronized long certainlyLeft() {
    return provenUntil - Timing.now();
  }

  private void askToRenew(long timeout) throws InterruptedException {
    long sentAt = Timing.now();
    Map<String, Object> renewal = reference();
    renewal.put("leaseMs", leaseMs);
    Wire.RenewAnswer answer =
        new Wire.RenewAnswer(client.send("lock.renew", "mutation", renewal, timeout, null));
    if (isFinished()) {
      return;
    }
    switch (answer.outcome()) {
      case "renewed":
        prolong(sentAt, answer);
        return;
      case "lost":
        lose(answer.cause(), answer.at(), answer.by(), answer.reason(), null);
        return;
      default:
        // Released by another call with this hold's owner and token.
        lose("released", null, null, null, null);
    }
  }

  /** Whether the work has ended: later answers concern a hold that has been released. */
  private synchronized boolean isFinished() {
    return isOver;
  }

  private void prolong(long sentAt, Wire.RenewAnswer answer) {
    Wire.Remark newlyAsked;
    Wire.Remark newlyStopped;
    List<LockOptions> present;
    synchronized (this) {
      // Of two concurrent attempts the later one may be answered first.
      if (loss != null || isOver || sentAt < renewedSince) {
        return;
      }
      renewedSince = sentAt;
      lastFailure = null;
      long expiresInMs = answer.expiresInMs();
      long proven = sentAt + expiresInMs - Timing.drift(expiresInMs);
      // A renewal never shortens a lease: a slow answer must not make less of it certain.
      boolean isProlonged = answer.renewalsStopped() == null;
      provenUntil = isProlonged ? Math.max(provenUntil, proven) : proven;
      expiresAt = answer.expiresAt();
      renewAt = sentAt + renewAfter(expiresInMs);
      newlyAsked = asked == null ? answer.askedToRelease() : null;
      newlyStopped = stopped == null ? answer.renewalsStopped() : null;
      stopped = stopped == null ? newlyStopped : stopped;
      asked = asked == null ? newlyAsked : asked;
      // `listen` passes it on to later listeners.
      present = List.copyOf(listeners);
      isNotifying = true;
    }
    for (LockOptions each : present) {
      notify(each.onAskedToRelease, newlyAsked);
      notify(each.onRenewalsStopped, newlyStopped);
    }
    synchronized (this) {
      isNotifying = false;
    }
  }

  /** Calls a listener; one that throws does not end the renewals. */
  private static void notify(Consumer<Wire.Remark> listener, Wire.Remark remark) {
    if (remark == null) {
      return;
    }
    try {
      listener.accept(remark);
    } catch (RuntimeException | Error error) {
      Thread present = Thread.currentThread();
      present.getUncaughtExceptionHandler().uncaughtException(present, error);
    }
  }

  private Map<String, Object> reference() {
    return reference(ask, token);
  }

  /** The fields that identify a hold, from those of its acquire. */
  static Map<String, Object> reference(Map<String, Object> ask, long token) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String field : List.of("namespace", "name", "owner")) {
      fields.put(field, ask.get(field));
    }
    fields.put("token", token);
    return fields;
  }

  private boolean has(String field, Map<String, Object> other) {
    return ask.get(field).equals(other.get(field));
  }

  /** An exclusive hold covers any request, a shared one shared ones, permits as many permits. */
  private void refuseUpgrade(Map<String, Object> request) {
    String held = (String) ask.get("mode");
    String wanted = (String) request.get("mode");
    long permits = (Long) ask.getOrDefault("permits", 1L);
    boolean wantsMore = (Long) request.getOrDefault("permits", 1L) > permits;
    if (held.equals("exclusive") || (held.equals(wanted) && !wantsMore)) {
      return;
    }
    throw new LockUpgradeRefused(name(), token, held, wanted);
  }

  /**
   * A third of the lease, or of what is left if less: after renewals were stopped, or where the
   * namespace has come to allow only a shorter lease.
   */
  private long renewAfter(long expiresInMs) {
    long least = Math.min(leaseMs / 30, RENEW_AFTER_MIN);
    return Math.max(Math.min(leaseMs, expiresInMs) / 3, least);
  }

  /** Rethrows an error of the work as the exception type that it declares. */
  @SuppressWarnings("unchecked")
  private static <X extends Exception> X as(Throwable error) {
    if (error instanceof Error) {
      throw (Error) error;
    }
    return (X) error;
  }
}

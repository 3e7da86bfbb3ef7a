package io.lockyard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** One wait for a grant, over as many requests as it takes, all with one request id. */
final class GrantWait {
  private static final long RESEND_WITHIN = 10 * 60_000;

  /** The server limits a wait to 10 minutes; an endless one is split into shorter parts. */
  private static final long PART = 9 * 60_000;

  /** Shorter parts would be little more than polling. */
  private static final long SHORTEST_PART = 1_000;

  private static final int FROZEN_ATTEMPT = 10;

  private final LockyardClient client;
  private final Map<String, Object> ask;
  private final long waitMs;
  private final long leaseMs;
  private final long startedAt = Timing.now();
  private long answeredAt = startedAt;

  /** The server may know the current id: there may be a queue position or a grant to release. */
  private boolean mayBeKnown;

  /**
   * The server may know the wait asked for with it: each later request must have the same. Before
   * that, each asks for what is left.
   */
  private boolean isWaitKnown;

  private boolean isConnected;

  private GrantWait(
      LockyardClient client, Wire.LockAcquireInput asked, long waitMs, String traceparent) {
    this.client = client;
    this.ask = new LinkedHashMap<>(asked.asMap());
    this.waitMs = waitMs;
    this.leaseMs = (Long) asked.asMap().get("leaseMs");
    ask.put("waitMs", waitMs);
    ask.put("requestId", LockyardClient.newRequestId());
    if (traceparent != null) {
      ask.put("traceparent", traceparent);
    }
  }

  /** A grant, with what proves until when it is valid. */
  static final class Grant {
    final long token;
    final long waitedMs;
    final long expiresAt;

    /**
     * By our clock, before the answered request was sent: the lease cannot have started earlier.
     */
    final long sentAt;

    final long expiresInMs;

    /** The trace of the hold that it waited for; null if unknown. */
    final String waitedForTraceparent;

    Grant(
        long token,
        long waitedMs,
        long expiresAt,
        long sentAt,
        long expiresInMs,
        String waitedForTraceparent) {
      this.token = token;
      this.waitedMs = waitedMs;
      this.expiresAt = expiresAt;
      this.sentAt = sentAt;
      this.expiresInMs = expiresInMs;
      this.waitedForTraceparent = waitedForTraceparent;
    }

    long provenUntil() {
      return sentAt + expiresInMs - Timing.drift(expiresInMs);
    }
  }

  /**
   * @param options only their wait and trace are used; a wait of null is split into parts, each
   *     starting at the end of the queue
   */
  static Grant await(LockyardClient client, Wire.LockAcquireInput ask, LockOptions options)
      throws InterruptedException {
    Duration patience = options.wait;
    String traceparent = options.traceparent;
    if (patience != null) {
      return new GrantWait(client, ask, patience.toMillis(), traceparent).run();
    }
    for (long part = PART; ; ) {
      try {
        return new GrantWait(client, ask, part, traceparent).run();
      } catch (LockTimeout nextPart) {
        // Only this part has ended.
      } catch (LockyardException failure) {
        Long allowed = failure.waitMaxMs();
        if (allowed != null && allowed >= SHORTEST_PART && allowed < part) {
          part = allowed;
        } else if (!failure.mayPass()) {
          throw failure;
        } else if (failure.retryAfterMs() != null) {
          // A part may be shorter than this, and would otherwise be asked for again at once.
          Thread.sleep(failure.retryAfterMs());
        }
      }
    }
  }

  /** Leaves the queue before it throws, or releases a grant whose answer was lost. */
  private Grant run() throws InterruptedException {
    try {
      return untilGranted();
    } catch (InterruptedException | RuntimeException error) {
      if (mayBeKnown) {
        takeBack(error);
      }
      throw error;
    }
  }

  private void takeBack(Exception error) throws InterruptedException {
    Thread cancelling = new Thread(this::cancel, "lockyard-cancel");
    cancelling.setDaemon(true);
    cancelling.start();
    if (!isSilenced(error)) {
      cancelling.join(Timing.TIDY_UP);
    }
  }

  private Grant untilGranted() throws InterruptedException {
    while (true) {
      long[] sentAt = new long[1];
      Wire.AcquireAnswer answer = Timing.retrying(this::until, () -> send(sentAt));
      if (answer.outcome().equals("granted")) {
        Grant grant = prove(answer, sentAt[0]);
        if (grant != null) {
          return grant;
        }
      }
      mayBeKnown = answer.outcome().equals("queued");
      boolean isOver = answer.outcome().equals("held") || answer.outcome().equals("timeout");
      if (isOver || patienceLeft() <= 0) {
        throw new LockTimeout((String) ask.get("name"), waitMs, answer);
      }
      beforeAskingAgain(answer, sentAt[0]);
    }
  }

  /** Sends the acquire with the current id. */
  private Wire.AcquireAnswer send(long[] sentAt) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("The wait for the lock was given up by its caller.");
    }
    long now = Timing.now();
    if (now - answeredAt > RESEND_WITHIN) {
      throw LockyardException.noLongerSafe();
    }
    boolean wasUnsure = mayBeKnown;
    // Negative for a short wait that continues because of failures, so that it ends in time.
    long left = Math.min(startedAt + waitMs - now, Timing.HELD_OPEN);
    boolean isWatched = !isConnected && waitMs < Timing.CONNECT_WITHIN;
    long share = Timing.CONNECT_WITHIN / client.addressCount();
    long connect = Math.max(1, Math.min(startedAt + Timing.CONNECT_WITHIN - now, share));
    sentAt[0] = now;
    ask.putIfAbsent("waitMs", patienceLeft());
    mayBeKnown = true;
    try {
      Wire.AcquireAnswer answer =
          new Wire.AcquireAnswer(
              client.send(
                  "lock.acquire",
                  "mutation",
                  ask,
                  left + Timing.ANSWER_WITHIN,
                  isWatched ? connect : null));
      isConnected = true;
      answeredAt = Timing.now();
      keepWait(answer.outcome().equals("queued"));
      return answer;
    } catch (LockyardException failure) {
      isConnected |= !failure.isUnreachable();
      boolean isUnsure =
          failure.reason().equals("UNKNOWN") || failure.reason().equals("INTERNAL");
      if (!isUnsure) {
        mayBeKnown = wasUnsure;
      }
      keepWait(isUnsure);
      throw failure;
    }
  }

  /** Called after each request: the next one asks for what is left, unless it may not. */
  private void keepWait(boolean mayBeKnown) {
    isWaitKnown |= mayBeKnown;
    if (!isWaitKnown) {
      ask.remove("waitMs");
    }
  }

  /** When retries end: even a wait shorter than one attempt is retried for a while. */
  private long until() {
    long budget = isConnected ? Timing.CONNECTED_BUDGET : Timing.CONNECT_WITHIN;
    return startedAt + Math.max(waitMs, budget);
  }

  /**
   * A grant that is certainly valid. Its lease is counted from before the request, so the wait may
   * have used up most of it: then a renewal restarts it. Null: the hold ended before any work
   * began.
   */
  private Grant prove(Wire.AcquireAnswer answer, long sentAt) throws InterruptedException {
    Grant grant =
        new Grant(
            answer.token(),
            answer.waitedMs(),
            answer.expiresAt(),
            sentAt,
            answer.expiresInMs(),
            answer.waitedForTraceparent());
    long now = Timing.now();
    if (grant.provenUntil() - now >= leaseMs / 2) {
      return grant;
    }
    Map<String, Object> renewal = only("namespace", "name", "owner", "leaseMs");
    renewal.put("token", grant.token);
    return Timing.retryingGranted(
        () -> now + Timing.RETRY_BUDGET,
        () -> {
          long renewedAt = Timing.now();
          long timeout = Timing.renewalTimeout(leaseMs);
          Wire.RenewAnswer renewed =
              new Wire.RenewAnswer(client.send("lock.renew", "mutation", renewal, timeout, null));
          if (!renewed.outcome().equals("renewed")) {
            return null;
          }
          Grant proven =
              new Grant(
                  grant.token,
                  grant.waitedMs,
                  renewed.expiresAt(),
                  renewedAt,
                  renewed.expiresInMs(),
                  grant.waitedForTraceparent);
          if (proven.provenUntil() > Timing.now()) {
            return proven;
          }
          String late = "The lease may have expired: its renewal was answered late.";
          throw new LockyardException("UNKNOWN", late);
        });
  }

  private void beforeAskingAgain(Wire.AcquireAnswer answer, long sentAt)
      throws InterruptedException {
    switch (answer.outcome()) {
      case "queueFull":
        Thread.sleep(Math.min(Timing.retryDelay(0, answer.retryAfterMs()), patienceLeft()));
        return;
      case "frozen":
        Thread.sleep(Math.min(Timing.retryDelay(FROZEN_ATTEMPT, null), patienceLeft()));
        return;
      case "queued":
        if (Timing.now() - sentAt < Timing.AT_ONCE) {
          Thread.sleep(Timing.retryDelay(1, null));
        }
        return;
      default:
        ask.put("requestId", LockyardClient.newRequestId());
        ask.remove("waitMs");
        isWaitKnown = false;
        answeredAt = Timing.now();
    }
  }

  private long patienceLeft() {
    return Math.max(0, startedAt + waitMs - Timing.now());
  }

  /** If no server responds, a cancel will hardly be answered, and is not worth a delay. */
  private boolean isSilenced(Exception error) {
    if (!(error instanceof LockyardException)) {
      return false;
    }
    LockyardException failure = (LockyardException) error;
    boolean isShort = waitMs < Timing.CONNECTED_BUDGET;
    return failure.isUnreachable() || (isShort && failure.reason().equals("UNKNOWN"));
  }

  /** Releases any grant of the current request id. If that fails, its lease expires. */
  private void cancel() {
    long until = Timing.now() + Timing.TIDY_UP;
    Map<String, Object> cancel = only("namespace", "name", "owner", "requestId");
    try {
      Timing.retryingGranted(
          () -> until,
          () -> client.send("lock.cancel", "mutation", cancel, until - Timing.now(), null));
    } catch (LockyardException | InterruptedException unimportant) {
      // The exception that led here is more informative.
    }
  }

  private Map<String, Object> only(String... fields) {
    Map<String, Object> some = new LinkedHashMap<>();
    for (String field : fields) {
      some.put(field, ask.get(field));
    }
    return some;
  }
}

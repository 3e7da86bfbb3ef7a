package io.lockyard;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Time limits, on a monotonic clock, and retries within them. All in milliseconds. */
final class Timing {
  /** The server holds a waiting request at most this long, then answers {@code queued}. */
  static final long HELD_OPEN = 25_000;

  /** The server answers within 5 s of the end of the requested wait, or not at all. */
  static final long ANSWER_WITHIN = 6_000;

  /** A {@code queued} answer faster than this comes from a server that is shutting down. */
  static final long AT_ONCE = 200;

  /** How long a short wait retries while no connection can be made. */
  static final long CONNECT_WITHIN = 1_000;

  /** How long a short wait retries once the server can be reached. */
  static final long CONNECTED_BUDGET = 5_000;

  /** How long a call is retried if nothing else sets a limit. */
  static final long RETRY_BUDGET = 10_000;

  /** How long cleaning up may delay an exception that is already certain. */
  static final long TIDY_UP = 2_000;

  /** The minimum time for the answer to a renewal: a busy server may take this long. */
  static final long SLOW_ANSWER = 1_000;

  private Timing() {}

  static long now() {
    return System.nanoTime() / 1_000_000;
  }

  /** How far two clocks may drift apart: 1 %, and 2 ms for rounding (one more for our own). */
  static long drift(long ms) {
    return ms / 100 + 3;
  }

  /** The time limit for the answer to a renewal: a third of the lease, within bounds. */
  static long renewalTimeout(long leaseMs) {
    return Math.min(ANSWER_WITHIN, Math.max(leaseMs / 3, SLOW_ANSWER));
  }

  /** At most 1 s, which a queue position survives, unless the server asks for more. */
  static long retryDelay(int attempt, Long retryAfterMs) {
    long ceiling = Math.min(1_000, 100L << Math.min(attempt, 10));
    long delay = ceiling / 2 + ThreadLocalRandom.current().nextLong(ceiling / 2 + 1);
    return Math.max(retryAfterMs == null ? 0 : retryAfterMs, delay);
  }

  /** A call that may fail transiently. */
  interface Call<A> {
    A run() throws InterruptedException;
  }

  /** Retries until there is an answer, a failure that is not transient, or the time is up. */
  static <A> A retrying(LongSupplier until, Call<A> call) throws InterruptedException {
    return retryingAfter(LockyardException::isTransient, until, call);
  }

  /**
   * Likewise for what Lockyard may have granted, to confirm, extend or cancel it: also after an
   * answer of something else, and after a fault that may affect only one answer.
   */
  static <A> A retryingGranted(LongSupplier until, Call<A> call) throws InterruptedException {
    return retryingAfter(LockyardException::isRetryable, until, call);
  }

  private static <A> A retryingAfter(
      Predicate<LockyardException> mayPass, LongSupplier until, Call<A> call)
      throws InterruptedException {
    for (int attempt = 0; ; attempt++) {
      try {
        return call.run();
      } catch (LockyardException failure) {
        long delay = retryDelay(attempt, failure.retryAfterMs());
        if (!mayPass.test(failure) || now() + delay >= until.getAsLong()) {
          throw failure;
        }
        Thread.sleep(delay);
      }
    }
  }

  /**
   * Retries a release until there is an answer, a failure that cannot pass, or the time is up.
   * Defers an interrupt of the caller until afterwards.
   */
  static <A> A releasing(LongSupplier until, Call<A> call) {
    boolean isInterrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return retryingAfter(LockyardException::isRetryable, until, call);
        } catch (InterruptedException later) {
          isInterrupted = true;
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

package io.lockyard;

import java.util.Map;

/**
 * The hold ended before the work did. Another holder may have had the lock since, so writes whose
 * token was not checked may conflict with that holder's. Its cause is the work's own exception; or
 * the last failure of a renewal, if none has succeeded since.
 */
public final class LockLost extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String lock;
  private final long token;
  private final String why;
  private final Long at;
  private final String by;
  private final String reason;

  LockLost(
      String lock, long token, String why, Long at, String by, String reason, Throwable cause) {
    super(
        "Lost the lock \"" + lock + "\" (token " + token + "): " + explain(why, by, reason),
        cause);
    this.lock = lock;
    this.token = token;
    this.why = why;
    this.at = at;
    this.by = by;
    this.reason = reason;
  }

  /** The same loss with the work's exception as its cause, unless that is or wraps the loss. */
  LockLost causedBy(Throwable error) {
    if (error == null || error == this || error.getCause() == this) {
      return this;
    }
    return new LockLost(lock, token, why, at, by, reason, error);
  }

  public String lock() {
    return lock;
  }

  public long token() {
    return token;
  }

  /**
   * {@code expired}, {@code released}, {@code forced}, {@code superseded}; {@code unrenewed}: no
   * renewal was answered in time, so the lease may have expired.
   */
  public String why() {
    return why;
  }

  /**
   * When the hold had certainly ended, in epoch milliseconds of the backend's clock; null if {@code
   * unrenewed}.
   */
  public Long at() {
    return at;
  }

  /** The operator who force-released it; otherwise null. */
  public String by() {
    return by;
  }

  /** The operator's reason; otherwise null. */
  public String reason() {
    return reason;
  }

  private static String explain(String why, String by, String reason) {
    String text =
        Map.of(
                "expired", "its lease expired",
                "released", "it was released",
                "forced", "force-released",
                "superseded", "the server has no record of this hold",
                "unrenewed", "no renewal succeeded in time")
            .getOrDefault(why, why);
    return text + (by == null ? "" : " by " + by) + (reason == null ? "." : " (" + reason + ").");
  }
}

package io.lockyard;

import java.util.Set;

/**
 * A call that was refused, or got no answer. {@code BACKEND_DOWN}, {@code CONTENDED} and {@code
 * NAMESPACE_FULL}: it was not applied. {@code UNKNOWN}: it may have been applied; repeat it with
 * the same request id to find out.
 */
public final class LockyardException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final Set<String> TRANSIENT =
      Set.of("BACKEND_DOWN", "UNKNOWN", "CONTENDED", "RATE_LIMITED", "NAMESPACE_FULL");

  private final String reason;
  private final Long retryAfterMs;
  private final String requestId;
  private final Long capacity;
  private final String detail;
  private final Long waitMaxMs;
  private final boolean isUnreachable;
  private final boolean isForeign;
  private final boolean isFinal;

  LockyardException(String reason, String message) {
    this(reason, message, null, null, null, null, null, false, false, false, null);
  }

  private LockyardException(
      String reason,
      String message,
      Long retryAfterMs,
      String requestId,
      Long capacity,
      String detail,
      Long waitMaxMs,
      boolean isUnreachable,
      boolean isForeign,
      boolean isFinal,
      Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.requestId = requestId;
    this.capacity = capacity;
    this.detail = detail;
    this.waitMaxMs = waitMaxMs;
    this.isUnreachable = isUnreachable;
    this.isForeign = isForeign;
    this.isFinal = isFinal;
  }

  static LockyardException refused(
      String reason,
      String message,
      Long retryAfterMs,
      String requestId,
      Long capacity,
      String detail,
      Long waitMaxMs) {
    return new LockyardException(
        reason,
        message,
        retryAfterMs,
        requestId,
        capacity,
        detail,
        waitMaxMs,
        false,
        false,
        false,
        null);
  }

  /** For an answer of something else than a Lockyard. */
  static LockyardException foreign(
      String reason, String message, Long retryAfterMs, String requestId) {
    return new LockyardException(
        reason, message, retryAfterMs, requestId, null, null, null, false, true, false, null);
  }

  static LockyardException unreachable(String reason, String message, Throwable cause) {
    return new LockyardException(
        reason, message, null, null, null, null, null, true, false, false, cause);
  }

  static LockyardException broken(String message, Throwable cause) {
    return new LockyardException(
        "UNKNOWN", message, null, null, null, null, null, false, false, false, cause);
  }

  static LockyardException noLongerSafe() {
    String message = "No answer for 10 minutes; a retry is no longer safe.";
    return new LockyardException(
        "UNKNOWN", message, null, null, null, null, null, false, false, true, null);
  }

  /** Includes the reason, so that it appears in logs. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + reason + ": " + getMessage();
  }

  /** One of {@link Wire#REASONS}; for a reason of a later version, one by its status. */
  public String reason() {
    return reason;
  }

  /** The delay after which a retry may succeed, in milliseconds; null if the server named none. */
  public Long retryAfterMs() {
    return retryAfterMs;
  }

  /** The server's own id of the request: quote it when asking an operator. May be null. */
  public String requestId() {
    return requestId;
  }

  /** The lock's current capacity, if the acquire did not fit it; otherwise null. */
  public Long capacity() {
    return capacity;
  }

  /** What is wrong with the API key, such as {@code keyExpired}; null if the server did not say. */
  public String detail() {
    return detail;
  }

  /**
   * The longest wait that the namespace allows, in milliseconds, if a longer one was requested;
   * otherwise null.
   */
  public Long waitMaxMs() {
    return waitMaxMs;
  }

  /** No connection could be made to the server, or to any of several. */
  public boolean isUnreachable() {
    return isUnreachable;
  }

  /** The answer is not of a Lockyard, but of something else, such as a proxy. */
  public boolean isForeign() {
    return isForeign;
  }

  /** Whether the same call may succeed a moment later. */
  public boolean isTransient() {
    return TRANSIENT.contains(reason) && !isFinal;
  }

  /** Whether the failure may pass for another request id. */
  boolean mayPass() {
    return TRANSIENT.contains(reason);
  }

  /**
   * Whether the call may succeed a moment later at an address at which Lockyard has answered: also
   * after a fault that may affect only one answer, or an answer of something else, such as the 404
   * of a proxy while a server is replaced.
   */
  boolean isRetryable() {
    return isTransient() || isForeign || reason.equals("INTERNAL");
  }

  /** Whether another server may succeed. */
  boolean isServerFailure() {
    boolean isDown = reason.equals("BACKEND_DOWN") || reason.equals("UNKNOWN");
    return isDown || (isForeign && !isTransient());
  }
}

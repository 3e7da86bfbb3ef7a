package io.lockyard;

import java.util.Set;

/**
 * A call that got no answer, or a refusal. {@code BACKEND_DOWN}, {@code CONTENDED} and {@code
 * NAMESPACE_FULL}: nothing was done. {@code UNKNOWN}: it may have been done; ask again with the
 * same request id to find out.
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
  private final boolean isFinal;

  LockyardException(String reason, String message) {
    this(reason, message, null, null, null, null, null, false, false, null);
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
        reason, message, retryAfterMs, requestId, capacity, detail, waitMaxMs, false, false, null);
  }

  static LockyardException unreachable(String reason, String message, Throwable cause) {
    return new LockyardException(reason, message, null, null, null, null, null, true, false, cause);
  }

  static LockyardException broken(String message, Throwable cause) {
    return new LockyardException(
        "UNKNOWN", message, null, null, null, null, null, false, false, cause);
  }

  static LockyardException noLongerSafe() {
    String message = "No answer for 10 minutes; a retry is no longer safe.";
    return new LockyardException(
        "UNKNOWN", message, null, null, null, null, null, false, true, null);
  }

  /** With the reason, so that a log has it. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + reason + ": " + getMessage();
  }

  /** One of {@link Wire#REASONS}: for one of a later version, what its status says. */
  public String reason() {
    return reason;
  }

  /** After how many milliseconds a retry may help; null if the server did not say. */
  public Long retryAfterMs() {
    return retryAfterMs;
  }

  /** The server's own id of the request: quote it when asking an operator. May be null. */
  public String requestId() {
    return requestId;
  }

  /** The capacity in force, if the requested permits do not fit it; otherwise null. */
  public Long capacity() {
    return capacity;
  }

  /** What is wrong with the API key, such as {@code keyExpired}; null where not said. */
  public String detail() {
    return detail;
  }

  /** The longest wait that the namespace allows, if a longer one was requested; else null. */
  public Long waitMaxMs() {
    return waitMaxMs;
  }

  /** No connection to the server could be made; of several, to none. */
  public boolean isUnreachable() {
    return isUnreachable;
  }

  /** Whether the same call may well succeed a moment later. */
  public boolean isTransient() {
    return TRANSIENT.contains(reason) && !isFinal;
  }

  /** Whether it may pass for another request id. */
  boolean mayPass() {
    return TRANSIENT.contains(reason);
  }

  boolean isServerFailure() {
    return reason.equals("BACKEND_DOWN") || reason.equals("UNKNOWN");
  }
}

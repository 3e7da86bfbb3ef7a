package io.lockyard;

/**
 * The work is done, under a valid hold, but the release was not confirmed. The lock may stay held
 * until its lease ends. Do not repeat the work because of this exception.
 */
public final class ReleaseUnconfirmed extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String lock;
  private final long token;
  private final transient Object result;

  ReleaseUnconfirmed(String lock, long token, Object result, Throwable cause) {
    super("The work under \"" + lock + "\" is done, but its release was not confirmed.", cause);
    this.lock = lock;
    this.token = token;
    this.result = result;
  }

  public String lock() {
    return lock;
  }

  public long token() {
    return token;
  }

  /** What the work returned. */
  public Object result() {
    return result;
  }
}

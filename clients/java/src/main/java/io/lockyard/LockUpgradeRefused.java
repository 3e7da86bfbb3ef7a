package io.lockyard;

/** Work under a hold requested more of the same lock, and would wait for that hold itself. */
public final class LockUpgradeRefused extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String lock;
  private final long token;

  LockUpgradeRefused(String lock, long token, String held, String wanted) {
    super(
        String.format(
            "\"%s\" is held in mode %s by the calling work (token %d); %s waits for it.",
            lock, held, token, wanted));
    this.lock = lock;
    this.token = token;
  }

  public String lock() {
    return lock;
  }

  /** Of the hold that the calling work has. */
  public long token() {
    return token;
  }
}

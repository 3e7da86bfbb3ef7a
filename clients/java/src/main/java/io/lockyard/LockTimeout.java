package io.lockyard;

import java.util.List;

/** The lock was not granted in time. Nothing is held, and no place in the queue is kept. */
public final class LockTimeout extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String lock;
  private final transient List<Wire.Holder> holders;
  private final Long queueLength;
  private final String frozen;

  LockTimeout(String lock, long waitMs, Wire.AcquireAnswer answer) {
    super("\"" + lock + "\" was not granted within " + waitMs + " ms" + obstacle(answer) + ".");
    this.lock = lock;
    this.holders = answer.holders();
    this.queueLength = answer.queueLength();
    this.frozen = reasonForFreeze(answer);
  }

  public String lock() {
    return lock;
  }

  /** Who holds the lock, according to the last answer. */
  public List<Wire.Holder> holders() {
    return holders;
  }

  /** How many callers waited for it then; null if the last answer did not say. */
  public Long queueLength() {
    return queueLength;
  }

  /** Why an operator has frozen the lock; null if it is not frozen. */
  public String frozen() {
    return frozen;
  }

  private static String reasonForFreeze(Wire.AcquireAnswer answer) {
    return answer.outcome().equals("frozen") ? answer.reason() : null;
  }

  private static String obstacle(Wire.AcquireAnswer answer) {
    String frozen = reasonForFreeze(answer);
    if (frozen != null) {
      return "; it is frozen: " + frozen;
    }
    if (answer.holders().isEmpty()) {
      return "";
    }
    Wire.Holder holder = answer.holders().get(0);
    return "; " + holder.owner() + " " + holdsIt(holder);
  }

  private static String holdsIt(Wire.Holder holder) {
    if (holder.releasedAt() == null) {
      return "holds it";
    }
    return "released it, and it stays held for another " + holder.expiresInMs() + " ms";
  }
}

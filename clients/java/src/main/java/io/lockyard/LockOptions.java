package io.lockyard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Options of {@link LockyardClient#withLock}; each has a default, for which null may be passed,
 * except to {@link #waitFor}.
 */
public final class LockOptions {
  String namespace;
  String owner;
  Duration lease;
  Duration wait = Duration.ofMinutes(1);
  Duration holdAtLeast;
  String mode = "exclusive";
  Long permits;
  Long capacity;
  boolean isReentrant;
  boolean takesOwnHold;
  Map<String, String> meta = Map.of();
  String traceparent;
  Consumer<Wire.Remark> onAskedToRelease = remark -> {};
  Consumer<Wire.Remark> onRenewalsStopped = remark -> {};

  /** The default is the client's. */
  public LockOptions namespace(String namespace) {
    this.namespace = namespace;
    return this;
  }

  /** The default is the client's. */
  public LockOptions owner(String owner) {
    this.owner = owner;
    return this;
  }

  /**
   * How long the lock stays held after this process dies: 100 ms to 24 h; by default 30 s, or
   * {@code holdAtLeast} if that is more.
   */
  public LockOptions lease(Duration lease) {
    this.lease = lease;
    return this;
  }

  /**
   * The timeout of the whole wait: zero (do not wait) to 10 minutes, by default 1 minute. Null
   * waits without limit, and moves to the end of the queue every 9 minutes.
   */
  public LockOptions waitFor(Duration wait) {
    this.wait = wait;
    return this;
  }

  /** The lock stays held for at least this long after the grant, even if the work ends sooner. */
  public LockOptions holdAtLeast(Duration holdAtLeast) {
    this.holdAtLeast = holdAtLeast;
    return this;
  }

  /** Acquires the lock in shared mode: together with other shared holds. */
  public LockOptions shared() {
    this.mode = "shared";
    return this;
  }

  /**
   * Acquires permits: together with other holds of permits, as long as all fit into the capacity.
   */
  public LockOptions permits(long permits, long capacity) {
    this.mode = "permit";
    this.permits = permits;
    this.capacity = capacity;
    return this;
  }

  /** Re-enters the lock if this owner already holds it in the same mode. */
  public LockOptions reentrant() {
    this.isReentrant = true;
    return this;
  }

  /** Acquires a separate hold even within work under this lock. */
  public LockOptions ownHold() {
    this.takesOwnHold = true;
    return this;
  }

  /**
   * Shown to operators with the hold, in addition to host, pid and version.
   *
   * @throws LockyardException {@code INVALID} for a key or a value that is null
   */
  public LockOptions meta(Map<String, String> meta) {
    Map<String, String> copy = meta == null ? Map.of() : new LinkedHashMap<>(meta);
    copy.forEach(
        (key, value) -> {
          if (key == null || value == null) {
            throw Addresses.invalid("meta has a null key or value.");
          }
        });
    this.meta = copy;
    return this;
  }

  /** The W3C header of the span to which the hold belongs; ignored if not valid. */
  public LockOptions traceparent(String traceparent) {
    this.traceparent = traceparent;
    return this;
  }

  /**
   * Called once, by the renewing thread, when an operator asks for the lock; for a call within work
   * under the lock, by the calling thread if that happened before.
   */
  public LockOptions onAskedToRelease(Consumer<Wire.Remark> listener) {
    this.onAskedToRelease = listener == null ? remark -> {} : listener;
    return this;
  }

  /** Called once, likewise, when an operator has stopped the renewals. */
  public LockOptions onRenewalsStopped(Consumer<Wire.Remark> listener) {
    this.onRenewalsStopped = listener == null ? remark -> {} : listener;
    return this;
  }
}

// Generated from the description of the API: npm run clients:generate.
package io.lockyard;

import java.util.List;
import java.util.Map;

/** Inputs and answers. Answers may gain fields: {@link JsonObject#asMap} has them all. */
public final class Wire {
  /** Every reason of a refusal that this client knows; a server may have more. */
  public static final List<String> REASONS =
      List.of(
          "INVALID",
          "UNAUTHENTICATED",
          "FORBIDDEN",
          "NOT_FOUND",
          "CONFLICT",
          "TOO_LARGE",
          "RATE_LIMITED",
          "NAMESPACE_FULL",
          "CONTENDED",
          "UNSUPPORTED",
          "BACKEND_DOWN",
          "UNKNOWN",
          "INTERNAL");

  /** The fields that answers must have, by procedure and outcome; "" for answers without one. */
  static final Map<String, Map<String, List<String>>> ANSWER_NEEDS =
      Map.ofEntries(
          Map.entry(
              "lock.acquire",
              Map.ofEntries(
                  Map.entry("granted", List.of("token", "expiresAt", "expiresInMs", "waitedMs")),
                  Map.entry("held", List.of()),
                  Map.entry("queued", List.of()),
                  Map.entry("timeout", List.of()),
                  Map.entry("queueFull", List.of()),
                  Map.entry("frozen", List.of("reason")),
                  Map.entry("ended", List.of("token", "cause")))),
          Map.entry(
              "lock.cancel",
              Map.ofEntries(
                  Map.entry("cancelled", List.of()),
                  Map.entry("released", List.of()),
                  Map.entry("none", List.of()))),
          Map.entry(
              "lock.acquireMany",
              Map.ofEntries(
                  Map.entry("granted", List.of("grants")),
                  Map.entry("held", List.of()),
                  Map.entry("queued", List.of()),
                  Map.entry("timeout", List.of()),
                  Map.entry("queueFull", List.of()),
                  Map.entry("frozen", List.of("reason")),
                  Map.entry("ended", List.of("grants")))),
          Map.entry(
              "lock.cancelMany",
              Map.ofEntries(
                  Map.entry("cancelled", List.of()),
                  Map.entry("released", List.of()),
                  Map.entry("none", List.of()))),
          Map.entry(
              "lock.renew",
              Map.ofEntries(
                  Map.entry("renewed", List.of("expiresAt", "expiresInMs")),
                  Map.entry("released", List.of()),
                  Map.entry("lost", List.of("cause")))),
          Map.entry(
              "lock.release",
              Map.ofEntries(
                  Map.entry("released", List.of()),
                  Map.entry("decremented", List.of()),
                  Map.entry("lost", List.of("cause")))),
          Map.entry(
              "lock.inspect",
              Map.ofEntries(
                  Map.entry("", List.of("state")))),
          Map.entry(
              "lock.list",
              Map.ofEntries(
                  Map.entry("", List.of("locks")))),
          Map.entry(
              "lock.watch",
              Map.ofEntries(
                  Map.entry("", List.of("locks", "position")))),
          Map.entry(
              "lock.check",
              Map.ofEntries(
                  Map.entry("", List.of("valid")))),
          Map.entry(
              "counter.create",
              Map.ofEntries(
                  Map.entry("created", List.of()),
                  Map.entry("exists", List.of("value")))),
          Map.entry(
              "counter.add",
              Map.ofEntries(
                  Map.entry("applied", List.of("value")),
                  Map.entry("outOfBounds", List.of("value")))),
          Map.entry(
              "counter.get",
              Map.ofEntries(
                  Map.entry("", List.of("value")))));

  private Wire() {}

  public static final class HolderSet extends JsonObject {
    HolderSet(Map<String, Object> fields) {
      super(fields);
    }

    /** The same for all holds of one lock.acquireMany. */
    public String id() {
      return text("id");
    }

    /** The number of these holds. */
    public long size() {
      return needed("size", number("size"));
    }
  }

  /** One live hold. */
  public static final class Holder extends JsonObject {
    Holder(Map<String, Object> fields) {
      super(fields);
    }

    /** The holder’s or waiter’s own name for itself. */
    public String owner() {
      return text("owner");
    }

    /** The name of its API key. */
    public String service() {
      return text("service");
    }

    /** The fencing token of the hold: higher than that of every earlier grant. */
    public long token() {
      return needed("token", number("token"));
    }

    /**
     * exclusive: alone. shared: together with other shared holds. permit: together with other
     * permit holds, as long as their permits add up to no more than the lock’s capacity.
     */
    public String mode() {
      return text("mode");
    }

    /** Only in mode permit: the number of permits. Null if absent. */
    public Long permits() {
      return number("permits");
    }

    /** How often the owner has entered, and must release. */
    public long holdCount() {
      return needed("holdCount", number("holdCount"));
    }

    /** When it was granted, in epoch milliseconds. */
    public long grantedAt() {
      return needed("grantedAt", number("grantedAt"));
    }

    /** The end of the lease, in epoch milliseconds of the backend’s clock. */
    public long expiresAt() {
      return needed("expiresAt", number("expiresAt"));
    }

    /** What is left of the lease, in milliseconds, for callers whose clock differs. */
    public long expiresInMs() {
      return needed("expiresInMs", number("expiresInMs"));
    }

    /** Only with holdAtLeastMs: the lock stays taken at least until then. Null if absent. */
    public Long keptUntil() {
      return number("keptUntil");
    }

    /**
     * When its holder released it, before keptUntil. The lock is still taken, and frees at
     * expiresAt. Null if absent.
     */
    public Long releasedAt() {
      return number("releasedAt");
    }

    /** Only for a hold of a lock.acquireMany. Null if absent. */
    public HolderSet set() {
      return object("set", HolderSet::new);
    }

    /** The role in the meta of the hold, such as leader; absent without one. Null if absent. */
    public String role() {
      return text("role");
    }

    /**
     * Only for holds of the caller’s own service: the traceparent header of the acquire, if it
     * had a valid one. Null if absent.
     */
    public String traceparent() {
      return text("traceparent");
    }
  }

  /** One waiter in the queue. */
  public static final class Waiter extends JsonObject {
    Waiter(Map<String, Object> fields) {
      super(fields);
    }

    /** 1 is next. */
    public long place() {
      return needed("place", number("place"));
    }

    /** Identifies the waiter; lower tickets are served first. */
    public long ticket() {
      return needed("ticket", number("ticket"));
    }

    /**
     * exclusive: alone. shared: together with other shared holds. permit: together with other
     * permit holds, as long as their permits add up to no more than the lock’s capacity.
     */
    public String mode() {
      return text("mode");
    }

    /** Only in mode permit: the number of permits. Null if absent. */
    public Long permits() {
      return number("permits");
    }

    /** The holder’s or waiter’s own name for itself. */
    public String owner() {
      return text("owner");
    }

    /** The name of its API key. */
    public String service() {
      return text("service");
    }

    /** When it began to wait, in epoch milliseconds. */
    public long enqueuedAt() {
      return needed("enqueuedAt", number("enqueuedAt"));
    }

    public long waitedMs() {
      return needed("waitedMs", number("waitedMs"));
    }

    /** How much longer it will wait. */
    public long patienceLeftMs() {
      return needed("patienceLeftMs", number("patienceLeftMs"));
    }

    /** Only for a lock.acquireMany: how many locks it wants. Null if absent. */
    public Long setSize() {
      return number("setSize");
    }
  }

  /** The lock is held until expiresAt. Keep the token. */
  public static final class Granted extends JsonObject {
    Granted(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The fencing token of the hold: higher than that of every earlier grant. */
    public long token() {
      return needed("token", number("token"));
    }

    /** The lock’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }

    /** How often the owner has entered, and must release. */
    public long holdCount() {
      return needed("holdCount", number("holdCount"));
    }

    /** The end of the lease, in epoch milliseconds of the backend’s clock. */
    public long expiresAt() {
      return needed("expiresAt", number("expiresAt"));
    }

    /** What is left of the lease, in milliseconds, for callers whose clock differs. */
    public long expiresInMs() {
      return needed("expiresInMs", number("expiresInMs"));
    }

    /** How long the call waited. */
    public long waitedMs() {
      return needed("waitedMs", number("waitedMs"));
    }

    /**
     * Only after a wait for another hold of the same service: the traceparent of that hold, for
     * a link from the span of the wait. Null if absent.
     */
    public String waitedForTraceparent() {
      return text("waitedForTraceparent");
    }
  }

  /** Another owner holds it, and waitMs was 0. */
  public static final class Held extends JsonObject {
    Held(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    public List<Holder> holders() {
      return objects("holders", Holder::new);
    }

    /** The number of waiters. */
    public long queueLength() {
      return needed("queueLength", number("queueLength"));
    }

    /** When to try again, in milliseconds from now. */
    public long retryAfterMs() {
      return needed("retryAfterMs", number("retryAfterMs"));
    }
  }

  /** Not granted within waitMs; final for this requestId. */
  public static final class Timeout extends JsonObject {
    Timeout(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    public List<Holder> holders() {
      return objects("holders", Holder::new);
    }

    /** The number of waiters. */
    public long queueLength() {
      return needed("queueLength", number("queueLength"));
    }

    /** When to try again, in milliseconds from now. */
    public long retryAfterMs() {
      return needed("retryAfterMs", number("retryAfterMs"));
    }
  }

  /**
   * Still waiting after 25 s, or the server is shutting down: repeat the same call immediately.
   * Without a request the place is kept for 2 s.
   */
  public static final class Queued extends JsonObject {
    Queued(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    public long ticket() {
      return needed("ticket", number("ticket"));
    }

    /** 1 is next. */
    public long place() {
      return needed("place", number("place"));
    }

    /** What is left of waitMs, over all requests with this id. */
    public long patienceLeftMs() {
      return needed("patienceLeftMs", number("patienceLeftMs"));
    }
  }

  /** The queue is full. */
  public static final class QueueFull extends JsonObject {
    QueueFull(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The number of waiters. */
    public long queueLength() {
      return needed("queueLength", number("queueLength"));
    }

    /** When to try again, in milliseconds from now. */
    public long retryAfterMs() {
      return needed("retryAfterMs", number("retryAfterMs"));
    }
  }

  /** An operator has frozen the lock, and waitMs was 0. With a wait it is queued. */
  public static final class Frozen extends JsonObject {
    Frozen(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The operator’s reason. */
    public String reason() {
      return text("reason");
    }
  }

  /** This requestId was granted before, and that hold has ended. It is not granted again. */
  public static final class Ended extends JsonObject {
    Ended(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The fencing token of the hold: higher than that of every earlier grant. */
    public long token() {
      return needed("token", number("token"));
    }

    /**
     * How the hold ended. forced: by an operator. superseded: not recorded, since it ended too
     * long ago or was never granted.
     */
    public String cause() {
      return text("cause");
    }
  }

  /** It has left the queue. */
  public static final class Cancelled extends JsonObject {
    Cancelled(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }
  }

  /** It was granted meanwhile; the hold is released. */
  public static final class CancelReleased extends JsonObject {
    CancelReleased(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }
  }

  /** There is nothing to cancel. */
  public static final class CancelNone extends JsonObject {
    CancelNone(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }
  }

  public static final class Remark extends JsonObject {
    Remark(Map<String, Object> fields) {
      super(fields);
    }

    /** The operator’s name. */
    public String by() {
      return text("by");
    }

    /** The operator’s reason. */
    public String reason() {
      return text("reason");
    }

    /** When, in epoch milliseconds. */
    public long at() {
      return needed("at", number("at"));
    }
  }

  /** The lease was restarted. It is never shortened. */
  public static final class Renewed extends JsonObject {
    Renewed(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The lock’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }

    /** The end of the lease, in epoch milliseconds of the backend’s clock. */
    public long expiresAt() {
      return needed("expiresAt", number("expiresAt"));
    }

    /** What is left of the lease, in milliseconds, for callers whose clock differs. */
    public long expiresInMs() {
      return needed("expiresInMs", number("expiresInMs"));
    }

    /** An operator asks for the lock. The holder decides; it should finish soon. Null if absent. */
    public Remark askedToRelease() {
      return object("askedToRelease", Remark::new);
    }

    /** Renewals no longer extend this hold: it ends at expiresAt. Null if absent. */
    public Remark renewalsStopped() {
      return object("renewalsStopped", Remark::new);
    }
  }

  /** The hold has ended. Stop the work that the lock guards. */
  public static final class Lost extends JsonObject {
    Lost(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /**
     * How the hold ended. forced: by an operator. superseded: not recorded, since it ended too
     * long ago or was never granted.
     */
    public String cause() {
      return text("cause");
    }

    /** The latest instant at which it had certainly ended, in epoch milliseconds. */
    public long at() {
      return needed("at", number("at"));
    }

    /** The operator who ended it. Null if absent. */
    public String by() {
      return text("by");
    }

    /** The operator’s reason. Null if absent. */
    public String reason() {
      return text("reason");
    }
  }

  /** The hold has ended. The lock is free, or stays taken until freesAt. */
  public static final class Released extends JsonObject {
    Released(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /**
     * Only before the end of holdAtLeastMs: the lock stays taken until this instant. Null if
     * absent.
     */
    public Long freesAt() {
      return number("freesAt");
    }

    /** The time left until freesAt. Null if absent. */
    public Long freesInMs() {
      return number("freesInMs");
    }
  }

  /** The owner had entered more than once: holdCount releases are left. */
  public static final class Decremented extends JsonObject {
    Decremented(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** How often the owner has entered, and must release. */
    public long holdCount() {
      return needed("holdCount", number("holdCount"));
    }
  }

  /** One of Granted, Held, Queued, Timeout, QueueFull, Frozen, Ended: see {@link #outcome}. */
  public static final class AcquireAnswer extends JsonObject {
    AcquireAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The fencing token of the hold: higher than that of every earlier grant. Null if absent. */
    public Long token() {
      return number("token");
    }

    /** The lock’s version: one more for each accepted change. Null if absent. */
    public Long rev() {
      return number("rev");
    }

    /** How often the owner has entered, and must release. Null if absent. */
    public Long holdCount() {
      return number("holdCount");
    }

    /** The end of the lease, in epoch milliseconds of the backend’s clock. Null if absent. */
    public Long expiresAt() {
      return number("expiresAt");
    }

    /**
     * What is left of the lease, in milliseconds, for callers whose clock differs. Null if
     * absent.
     */
    public Long expiresInMs() {
      return number("expiresInMs");
    }

    /** How long the call waited. Null if absent. */
    public Long waitedMs() {
      return number("waitedMs");
    }

    /**
     * Only after a wait for another hold of the same service: the traceparent of that hold, for
     * a link from the span of the wait. Null if absent.
     */
    public String waitedForTraceparent() {
      return text("waitedForTraceparent");
    }

    /** Null if absent. */
    public List<Holder> holders() {
      return objects("holders", Holder::new);
    }

    /** The number of waiters. Null if absent. */
    public Long queueLength() {
      return number("queueLength");
    }

    /** When to try again, in milliseconds from now. Null if absent. */
    public Long retryAfterMs() {
      return number("retryAfterMs");
    }

    /** Null if absent. */
    public Long ticket() {
      return number("ticket");
    }

    /** 1 is next. Null if absent. */
    public Long place() {
      return number("place");
    }

    /** What is left of waitMs, over all requests with this id. Null if absent. */
    public Long patienceLeftMs() {
      return number("patienceLeftMs");
    }

    /** The operator’s reason. Null if absent. */
    public String reason() {
      return text("reason");
    }

    /**
     * How the hold ended. forced: by an operator. superseded: not recorded, since it ended too
     * long ago or was never granted. Null if absent.
     */
    public String cause() {
      return text("cause");
    }
  }

  /** One of Cancelled, CancelReleased, CancelNone: see {@link #outcome}. */
  public static final class CancelAnswer extends JsonObject {
    CancelAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }
  }

  /** One of Renewed, Released, Lost: see {@link #outcome}. */
  public static final class RenewAnswer extends JsonObject {
    RenewAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The lock’s version: one more for each accepted change. Null if absent. */
    public Long rev() {
      return number("rev");
    }

    /** The end of the lease, in epoch milliseconds of the backend’s clock. Null if absent. */
    public Long expiresAt() {
      return number("expiresAt");
    }

    /**
     * What is left of the lease, in milliseconds, for callers whose clock differs. Null if
     * absent.
     */
    public Long expiresInMs() {
      return number("expiresInMs");
    }

    /** An operator asks for the lock. The holder decides; it should finish soon. Null if absent. */
    public Remark askedToRelease() {
      return object("askedToRelease", Remark::new);
    }

    /** Renewals no longer extend this hold: it ends at expiresAt. Null if absent. */
    public Remark renewalsStopped() {
      return object("renewalsStopped", Remark::new);
    }

    /**
     * Only before the end of holdAtLeastMs: the lock stays taken until this instant. Null if
     * absent.
     */
    public Long freesAt() {
      return number("freesAt");
    }

    /** The time left until freesAt. Null if absent. */
    public Long freesInMs() {
      return number("freesInMs");
    }

    /**
     * How the hold ended. forced: by an operator. superseded: not recorded, since it ended too
     * long ago or was never granted. Null if absent.
     */
    public String cause() {
      return text("cause");
    }

    /**
     * The latest instant at which it had certainly ended, in epoch milliseconds. Null if absent.
     */
    public Long at() {
      return number("at");
    }

    /** The operator who ended it. Null if absent. */
    public String by() {
      return text("by");
    }

    /** The operator’s reason. Null if absent. */
    public String reason() {
      return text("reason");
    }
  }

  /** One of Released, Decremented, Lost: see {@link #outcome}. */
  public static final class ReleaseAnswer extends JsonObject {
    ReleaseAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /**
     * Only before the end of holdAtLeastMs: the lock stays taken until this instant. Null if
     * absent.
     */
    public Long freesAt() {
      return number("freesAt");
    }

    /** The time left until freesAt. Null if absent. */
    public Long freesInMs() {
      return number("freesInMs");
    }

    /** How often the owner has entered, and must release. Null if absent. */
    public Long holdCount() {
      return number("holdCount");
    }

    /**
     * How the hold ended. forced: by an operator. superseded: not recorded, since it ended too
     * long ago or was never granted. Null if absent.
     */
    public String cause() {
      return text("cause");
    }

    /**
     * The latest instant at which it had certainly ended, in epoch milliseconds. Null if absent.
     */
    public Long at() {
      return number("at");
    }

    /** The operator who ended it. Null if absent. */
    public String by() {
      return text("by");
    }

    /** The operator’s reason. Null if absent. */
    public String reason() {
      return text("reason");
    }
  }

  public static final class PermitUse extends JsonObject {
    PermitUse(Map<String, Object> fields) {
      super(fields);
    }

    /** How many permits may be held at the same time. */
    public long capacity() {
      return needed("capacity", number("capacity"));
    }

    /** How many are held. Over capacity only if it was lowered. */
    public long inUse() {
      return needed("inUse", number("inUse"));
    }

    /**
     * Only after an operator’s change: the capacity that callers named before, and still can.
     * Null if absent.
     */
    public Long named() {
      return number("named");
    }
  }

  /** The state of the lock now. */
  public static final class InspectAnswer extends JsonObject {
    InspectAnswer(Map<String, Object> fields) {
      super(fields);
    }

    /**
     * expired: the last hold expired, and there has been no grant since. delayed: in the pause
     * after a lost hold. frozen: no new grants, whether or not it is held.
     */
    public String state() {
      return text("state");
    }

    /** The lock’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }

    public List<Holder> holders() {
      return objects("holders", Holder::new);
    }

    /** The permits of a lock, as long as any are held or waited for. Null if absent. */
    public PermitUse permits() {
      return object("permits", PermitUse::new);
    }

    /** In the order in which they will be granted. */
    public List<Waiter> waiters() {
      return objects("waiters", Waiter::new);
    }

    /** Who froze the lock, and why. Null if absent. */
    public Remark frozen() {
      return object("frozen", Remark::new);
    }

    /** The end of the pause in epoch milliseconds; only while it lasts. Null if absent. */
    public Long delayedUntil() {
      return number("delayedUntil");
    }

    /** A resource that stores the highest token can reject every token below this. */
    public long minValidToken() {
      return needed("minValidToken", number("minValidToken"));
    }
  }

  /** One lock as the server last read it. */
  public static final class ListedLock extends JsonObject {
    ListedLock(Map<String, Object> fields) {
      super(fields);
    }

    /** Its name, byte by byte. */
    public String name() {
      return text("name");
    }

    /**
     * unknown: its backend does not respond, or has not been read since it does again, and this
     * is the last reading; or its record cannot be read.
     */
    public String state() {
      return text("state");
    }

    /** The lock’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }

    public List<Holder> holders() {
      return objects("holders", Holder::new);
    }

    /** The permits of a lock, as long as any are held or waited for. Null if absent. */
    public PermitUse permits() {
      return object("permits", PermitUse::new);
    }

    /** The number of waiters. */
    public long queueLength() {
      return needed("queueLength", number("queueLength"));
    }

    /** Why its record cannot be read. Null if absent. */
    public String unreadable() {
      return text("unreadable");
    }
  }

  /** One page of the locks of a namespace. */
  public static final class ListAnswer extends JsonObject {
    ListAnswer(Map<String, Object> fields) {
      super(fields);
    }

    /** In the byte order of their names. */
    public List<ListedLock> locks() {
      return objects("locks", ListedLock::new);
    }

    /** The after of the next page; null on the last page. */
    public String next() {
      return text("next");
    }

    /** The age of this list. */
    public long ageMs() {
      return needed("ageMs", number("ageMs"));
    }
  }

  /** Whether a token is still valid. */
  public static final class CheckAnswer extends JsonObject {
    CheckAnswer(Map<String, Object> fields) {
      super(fields);
    }

    /** Whether that hold is live at the time of the answer. */
    public boolean valid() {
      return needed("valid", truth("valid"));
    }
  }

  /** The changes of the watched locks. */
  public static final class WatchAnswer extends JsonObject {
    WatchAnswer(Map<String, Object> fields) {
      super(fields);
    }

    /**
     * The latest state of each lock that changed, up to 500; empty if none did. Present states
     * by prefix do not include free locks.
     */
    public List<ListedLock> locks() {
      return objects("locks", ListedLock::new);
    }

    /** The since of the next call. */
    public String position() {
      return text("position");
    }

    /**
     * The since of the call is not known: it is too old, or from before a restart. This and the
     * following answers contain the present states of all watched locks, until more is false.
     */
    public boolean reset() {
      return needed("reset", truth("reset"));
    }

    /** There are more changes already: repeat the call immediately. */
    public boolean more() {
      return needed("more", truth("more"));
    }
  }

  public static final class GrantOfSet extends JsonObject {
    GrantOfSet(Map<String, Object> fields) {
      super(fields);
    }

    /** The lock’s name. */
    public String name() {
      return text("name");
    }

    /**
     * exclusive: alone. shared: together with other shared holds. permit: together with other
     * permit holds, as long as their permits add up to no more than the lock’s capacity.
     */
    public String mode() {
      return text("mode");
    }

    /** The fencing token of the hold: higher than that of every earlier grant. */
    public long token() {
      return needed("token", number("token"));
    }

    /** The lock’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }

    /** How often the owner has entered, and must release. */
    public long holdCount() {
      return needed("holdCount", number("holdCount"));
    }

    /** The end of the lease, in epoch milliseconds of the backend’s clock. */
    public long expiresAt() {
      return needed("expiresAt", number("expiresAt"));
    }

    /** What is left of the lease, in milliseconds, for callers whose clock differs. */
    public long expiresInMs() {
      return needed("expiresInMs", number("expiresInMs"));
    }

    /** How long the call waited in all queues together. */
    public long waitedMs() {
      return needed("waitedMs", number("waitedMs"));
    }

    /**
     * Only after a wait for another hold of the same service: the traceparent of that hold, for
     * a link from the span of the wait. Null if absent.
     */
    public String waitedForTraceparent() {
      return text("waitedForTraceparent");
    }
  }

  /** All locks are held until their expiresAt. Keep the tokens. */
  public static final class SetGranted extends JsonObject {
    SetGranted(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The holds of all locks, sorted by name. */
    public List<GrantOfSet> grants() {
      return objects("grants", GrantOfSet::new);
    }
  }

  public static final class Block extends JsonObject {
    Block(Map<String, Object> fields) {
      super(fields);
    }

    /** The lock’s name. */
    public String name() {
      return text("name");
    }

    /** As in lock.inspect. free with a queue: other callers are before this one. */
    public String state() {
      return text("state");
    }

    public List<Holder> holders() {
      return objects("holders", Holder::new);
    }

    /** The number of waiters. */
    public long queueLength() {
      return needed("queueLength", number("queueLength"));
    }
  }

  /** Not all locks were free, so none was granted, and waitMs was 0. */
  public static final class SetHeld extends JsonObject {
    SetHeld(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The locks that block the call now. */
    public List<Block> blockedBy() {
      return objects("blockedBy", Block::new);
    }

    /** When to try again, in milliseconds from now. */
    public long retryAfterMs() {
      return needed("retryAfterMs", number("retryAfterMs"));
    }
  }

  /**
   * Still waiting after 25 s, or the server is shutting down: repeat the same call immediately.
   * Without a request the place is kept for 2 s. Meanwhile the call holds none of the locks.
   */
  public static final class SetQueued extends JsonObject {
    SetQueued(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The lock in whose queue the call waits now, which can change. */
    public String name() {
      return text("name");
    }

    /** Identifies the waiter in that queue. */
    public long ticket() {
      return needed("ticket", number("ticket"));
    }

    /** 1 is next at that lock. */
    public long place() {
      return needed("place", number("place"));
    }

    /** What is left of waitMs, over all requests with this id. */
    public long patienceLeftMs() {
      return needed("patienceLeftMs", number("patienceLeftMs"));
    }

    /** The locks that block the call now. */
    public List<Block> blockedBy() {
      return objects("blockedBy", Block::new);
    }
  }

  /** Not granted within waitMs; final for this requestId. */
  public static final class SetTimeout extends JsonObject {
    SetTimeout(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The locks that block the call now. */
    public List<Block> blockedBy() {
      return objects("blockedBy", Block::new);
    }

    /** When to try again, in milliseconds from now. */
    public long retryAfterMs() {
      return needed("retryAfterMs", number("retryAfterMs"));
    }
  }

  /** The queue of that lock is full. */
  public static final class SetQueueFull extends JsonObject {
    SetQueueFull(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The lock’s name. */
    public String name() {
      return text("name");
    }

    /** The number of waiters. */
    public long queueLength() {
      return needed("queueLength", number("queueLength"));
    }

    /** When to try again, in milliseconds from now. */
    public long retryAfterMs() {
      return needed("retryAfterMs", number("retryAfterMs"));
    }
  }

  /** An operator has frozen that lock, and waitMs was 0. */
  public static final class SetFrozen extends JsonObject {
    SetFrozen(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The lock’s name. */
    public String name() {
      return text("name");
    }

    /** The operator’s reason. */
    public String reason() {
      return text("reason");
    }
  }

  public static final class EndOfSet extends JsonObject {
    EndOfSet(Map<String, Object> fields) {
      super(fields);
    }

    /** The lock’s name. */
    public String name() {
      return text("name");
    }

    /** The fencing token of the hold: higher than that of every earlier grant. */
    public long token() {
      return needed("token", number("token"));
    }

    /**
     * How the hold ended. forced: by an operator. superseded: not recorded, since it ended too
     * long ago or was never granted.
     */
    public String cause() {
      return text("cause");
    }
  }

  /** This requestId was granted before, and some of its holds have ended. */
  public static final class SetEnded extends JsonObject {
    SetEnded(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The holds that have ended, and how. */
    public List<EndOfSet> ended() {
      return objects("ended", EndOfSet::new);
    }

    /** The holds that are still live. */
    public List<GrantOfSet> grants() {
      return objects("grants", GrantOfSet::new);
    }
  }

  /**
   * One of SetGranted, SetHeld, SetQueued, SetTimeout, SetQueueFull, SetFrozen, SetEnded: see
   * {@link #outcome}.
   */
  public static final class AcquireManyAnswer extends JsonObject {
    AcquireManyAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The holds of all locks, sorted by name. Null if absent. */
    public List<GrantOfSet> grants() {
      return objects("grants", GrantOfSet::new);
    }

    /** The locks that block the call now. Null if absent. */
    public List<Block> blockedBy() {
      return objects("blockedBy", Block::new);
    }

    /** When to try again, in milliseconds from now. Null if absent. */
    public Long retryAfterMs() {
      return number("retryAfterMs");
    }

    /** The lock in whose queue the call waits now, which can change. Null if absent. */
    public String name() {
      return text("name");
    }

    /** Identifies the waiter in that queue. Null if absent. */
    public Long ticket() {
      return number("ticket");
    }

    /** 1 is next at that lock. Null if absent. */
    public Long place() {
      return number("place");
    }

    /** What is left of waitMs, over all requests with this id. Null if absent. */
    public Long patienceLeftMs() {
      return number("patienceLeftMs");
    }

    /** The number of waiters. Null if absent. */
    public Long queueLength() {
      return number("queueLength");
    }

    /** The operator’s reason. Null if absent. */
    public String reason() {
      return text("reason");
    }

    /** The holds that have ended, and how. Null if absent. */
    public List<EndOfSet> ended() {
      return objects("ended", EndOfSet::new);
    }
  }

  /** The counter was created. */
  public static final class CounterCreated extends JsonObject {
    CounterCreated(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }
  }

  /** The counter existed already and was not changed. */
  public static final class CounterExists extends JsonObject {
    CounterExists(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The counter’s value. */
    public long value() {
      return needed("value", number("value"));
    }

    /** The value never goes below it; null: no limit. */
    public Long floor() {
      return number("floor");
    }

    /** The value never goes above it; null: no limit. */
    public Long ceiling() {
      return number("ceiling");
    }
  }

  /** The step was applied; value is the result. */
  public static final class CounterApplied extends JsonObject {
    CounterApplied(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The counter’s value. */
    public long value() {
      return needed("value", number("value"));
    }

    /** The counter’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }
  }

  /** The result would be outside the bounds. Nothing was changed. */
  public static final class CounterOutOfBounds extends JsonObject {
    CounterOutOfBounds(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The counter’s value. */
    public long value() {
      return needed("value", number("value"));
    }

    /** The value never goes below it; null: no limit. */
    public Long floor() {
      return number("floor");
    }

    /** The value never goes above it; null: no limit. */
    public Long ceiling() {
      return number("ceiling");
    }

    /**
     * The gate refused the step: value and the bounds come from its Redis, not from MySQL. Null
     * if absent.
     */
    public Boolean estimate() {
      return truth("estimate");
    }
  }

  /** One of CounterCreated, CounterExists: see {@link #outcome}. */
  public static final class CounterCreateAnswer extends JsonObject {
    CounterCreateAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The counter’s value. Null if absent. */
    public Long value() {
      return number("value");
    }

    /** The value never goes below it; null: no limit. Null if absent. */
    public Long floor() {
      return number("floor");
    }

    /** The value never goes above it; null: no limit. Null if absent. */
    public Long ceiling() {
      return number("ceiling");
    }
  }

  /** One of CounterApplied, CounterOutOfBounds: see {@link #outcome}. */
  public static final class CounterAddAnswer extends JsonObject {
    CounterAddAnswer(Map<String, Object> fields) {
      super(fields);
    }

    public String outcome() {
      return text("outcome");
    }

    /** The counter’s value. */
    public long value() {
      return needed("value", number("value"));
    }

    /** The counter’s version: one more for each accepted change. Null if absent. */
    public Long rev() {
      return number("rev");
    }

    /** The value never goes below it; null: no limit. Null if absent. */
    public Long floor() {
      return number("floor");
    }

    /** The value never goes above it; null: no limit. Null if absent. */
    public Long ceiling() {
      return number("ceiling");
    }

    /**
     * The gate refused the step: value and the bounds come from its Redis, not from MySQL. Null
     * if absent.
     */
    public Boolean estimate() {
      return truth("estimate");
    }
  }

  /** The present value of the counter, and its bounds. */
  public static final class CounterGetAnswer extends JsonObject {
    CounterGetAnswer(Map<String, Object> fields) {
      super(fields);
    }

    /** The counter’s value. */
    public long value() {
      return needed("value", number("value"));
    }

    /** The value never goes below it; null: no limit. */
    public Long floor() {
      return number("floor");
    }

    /** The value never goes above it; null: no limit. */
    public Long ceiling() {
      return number("ceiling");
    }

    /** The counter’s version: one more for each accepted change. */
    public long rev() {
      return needed("rev", number("rev"));
    }
  }

  public static final class LockAcquireInput extends JsonObject {
    public LockAcquireInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockAcquireInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockAcquireInput name(String value) {
      put("name", value);
      return this;
    }

    /**
     * The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
     * hold belongs to the key’s service and this owner.
     */
    public LockAcquireInput owner(String value) {
      put("owner", value);
      return this;
    }

    /** The hold ends after this time unless it is renewed: 100 ms to 24 h. */
    public LockAcquireInput leaseMs(long value) {
      put("leaseMs", value);
      return this;
    }

    /**
     * How long to wait, up to 10 min, over all requests with the same requestId, which is
     * required over 25,000. Must be 0 in a batch.
     */
    public LockAcquireInput waitMs(long value) {
      put("waitMs", value);
      return this;
    }

    /**
     * exclusive: alone. shared: together with other shared holds. permit: together with other
     * permit holds, as long as their permits add up to no more than the lock’s capacity.
     */
    public LockAcquireInput mode(String value) {
      put("mode", value);
      return this;
    }

    /**
     * The lock stays taken for at least this long after the grant, even if it is released
     * sooner; at most leaseMs. For jobs that several machines start at about the same time, but
     * only one should run. An operator can end it.
     */
    public LockAcquireInput holdAtLeastMs(long value) {
      put("holdAtLeastMs", value);
      return this;
    }

    /** Only in mode permit: how many permits to take together; 1 by default. */
    public LockAcquireInput permits(long value) {
      put("permits", value);
      return this;
    }

    /**
     * Required in mode permit, and only there: how many permits may be held at the same time, 1
     * to 10,000. The first caller sets it. As long as permits are held or waited for, another
     * capacity is INVALID.
     */
    public LockAcquireInput capacity(long value) {
      put("capacity", value);
      return this;
    }

    /**
     * The same owner may enter again: it gets the same token, and must release as often as it
     * entered.
     */
    public LockAcquireInput reentrant(boolean value) {
      put("reentrant", value);
      return this;
    }

    /**
     * Texts that operators see with the hold, up to 1 KB as JSON; host, pid and version have
     * their own fields.
     */
    public LockAcquireInput meta(Map<String, String> value) {
      put("meta", value);
      return this;
    }

    /**
     * Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id
     * and input, it gets the same answer and is not applied twice. With another input it is
     * INVALID.
     */
    public LockAcquireInput requestId(String value) {
      put("requestId", value);
      return this;
    }
  }

  public static final class LockCancelInput extends JsonObject {
    public LockCancelInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockCancelInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockCancelInput name(String value) {
      put("name", value);
      return this;
    }

    /**
     * The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
     * hold belongs to the key’s service and this owner.
     */
    public LockCancelInput owner(String value) {
      put("owner", value);
      return this;
    }

    /**
     * Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id
     * and input, it gets the same answer and is not applied twice. With another input it is
     * INVALID.
     */
    public LockCancelInput requestId(String value) {
      put("requestId", value);
      return this;
    }
  }

  public static final class LockOfSet extends JsonObject {
    public LockOfSet() {}

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockOfSet name(String value) {
      put("name", value);
      return this;
    }

    /** exclusive: alone. shared: together with other shared holds. */
    public LockOfSet mode(String value) {
      put("mode", value);
      return this;
    }
  }

  public static final class LockAcquireManyInput extends JsonObject {
    public LockAcquireManyInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockAcquireManyInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /** 2 to 20 different locks of one namespace, in any order. */
    public LockAcquireManyInput locks(List<LockOfSet> value) {
      put("locks", value);
      return this;
    }

    /**
     * The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
     * hold belongs to the key’s service and this owner.
     */
    public LockAcquireManyInput owner(String value) {
      put("owner", value);
      return this;
    }

    /** The hold ends after this time unless it is renewed: 100 ms to 24 h. */
    public LockAcquireManyInput leaseMs(long value) {
      put("leaseMs", value);
      return this;
    }

    /**
     * How long to wait, up to 10 min, over all requests with the same requestId, which is
     * required over 25,000. Must be 0 in a batch.
     */
    public LockAcquireManyInput waitMs(long value) {
      put("waitMs", value);
      return this;
    }

    /**
     * The lock stays taken for at least this long after the grant, even if it is released
     * sooner; at most leaseMs. For jobs that several machines start at about the same time, but
     * only one should run. An operator can end it.
     */
    public LockAcquireManyInput holdAtLeastMs(long value) {
      put("holdAtLeastMs", value);
      return this;
    }

    /**
     * Texts that operators see with the hold, up to 1 KB as JSON; host, pid and version have
     * their own fields.
     */
    public LockAcquireManyInput meta(Map<String, String> value) {
      put("meta", value);
      return this;
    }

    /**
     * Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id
     * and input, it gets the same answer and is not applied twice. With another input it is
     * INVALID.
     */
    public LockAcquireManyInput requestId(String value) {
      put("requestId", value);
      return this;
    }
  }

  public static final class LockCancelManyInput extends JsonObject {
    public LockCancelManyInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockCancelManyInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /** Exactly the names of the lock.acquireMany, in any order. */
    public LockCancelManyInput names(List<String> value) {
      put("names", value);
      return this;
    }

    /**
     * The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
     * hold belongs to the key’s service and this owner.
     */
    public LockCancelManyInput owner(String value) {
      put("owner", value);
      return this;
    }

    /**
     * Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id
     * and input, it gets the same answer and is not applied twice. With another input it is
     * INVALID.
     */
    public LockCancelManyInput requestId(String value) {
      put("requestId", value);
      return this;
    }
  }

  public static final class LockRenewInput extends JsonObject {
    public LockRenewInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockRenewInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockRenewInput name(String value) {
      put("name", value);
      return this;
    }

    /**
     * The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
     * hold belongs to the key’s service and this owner.
     */
    public LockRenewInput owner(String value) {
      put("owner", value);
      return this;
    }

    /** The fencing token of the grant: a positive integer below 2^53. */
    public LockRenewInput token(long value) {
      put("token", value);
      return this;
    }

    /** The hold ends after this time unless it is renewed: 100 ms to 24 h. */
    public LockRenewInput leaseMs(long value) {
      put("leaseMs", value);
      return this;
    }
  }

  public static final class LockReleaseInput extends JsonObject {
    public LockReleaseInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockReleaseInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockReleaseInput name(String value) {
      put("name", value);
      return this;
    }

    /**
     * The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
     * hold belongs to the key’s service and this owner.
     */
    public LockReleaseInput owner(String value) {
      put("owner", value);
      return this;
    }

    /** The fencing token of the grant: a positive integer below 2^53. */
    public LockReleaseInput token(long value) {
      put("token", value);
      return this;
    }

    /**
     * Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id
     * and input, it gets the same answer and is not applied twice. With another input it is
     * INVALID.
     */
    public LockReleaseInput requestId(String value) {
      put("requestId", value);
      return this;
    }
  }

  public static final class LockWatchInput extends JsonObject {
    public LockWatchInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockWatchInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /** The locks to watch, up to 1000; or give a prefix. */
    public LockWatchInput names(List<String> value) {
      put("names", value);
      return this;
    }

    /**
     * Watches all locks of the namespace whose names begin with this, compared byte by byte;
     * empty: all.
     */
    public LockWatchInput prefix(String value) {
      put("prefix", value);
      return this;
    }

    /**
     * The position of the last answer for the same locks: the answer contains what changed
     * since. Without it, the answer contains the present states.
     */
    public LockWatchInput since(String value) {
      put("since", value);
      return this;
    }

    /** How long to wait for a change, up to 25 s. 0 in a batch. An event stream ignores it. */
    public LockWatchInput waitMs(long value) {
      put("waitMs", value);
      return this;
    }
  }

  public static final class CounterCreateInput extends JsonObject {
    public CounterCreateInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public CounterCreateInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of
     * the same name is independent of it.
     */
    public CounterCreateInput name(String value) {
      put("name", value);
      return this;
    }

    /** The initial value, which must be within the bounds. */
    public CounterCreateInput initial(long value) {
      put("initial", value);
      return this;
    }

    /** The value never goes below it. Default: no limit. */
    public CounterCreateInput floor(long value) {
      put("floor", value);
      return this;
    }

    /** The value never goes above it. Default: no limit. */
    public CounterCreateInput ceiling(long value) {
      put("ceiling", value);
      return this;
    }
  }

  public static final class CounterAddInput extends JsonObject {
    public CounterAddInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public CounterAddInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of
     * the same name is independent of it.
     */
    public CounterAddInput name(String value) {
      put("name", value);
      return this;
    }

    /** A whole number between −2^53 and 2^53, applied entirely or not at all. */
    public CounterAddInput delta(long value) {
      put("delta", value);
      return this;
    }

    /**
     * Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id
     * and input, it gets the same answer and is not applied twice. With another input it is
     * INVALID.
     */
    public CounterAddInput requestId(String value) {
      put("requestId", value);
      return this;
    }

    /**
     * True: no request with this requestId was ever sent before. Only then may a gate refuse a
     * step that has a requestId; it may refuse any step without one.
     */
    public CounterAddInput firstAttempt(boolean value) {
      put("firstAttempt", value);
      return this;
    }
  }

  public static final class LockInspectInput extends JsonObject {
    public LockInspectInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockInspectInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockInspectInput name(String value) {
      put("name", value);
      return this;
    }
  }

  public static final class LockListInput extends JsonObject {
    public LockListInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockListInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /** Only names that begin with this, compared byte by byte; empty: all. */
    public LockListInput prefix(String value) {
      put("prefix", value);
      return this;
    }

    /** Only names after this one: the next of the page before. */
    public LockListInput after(String value) {
      put("after", value);
      return this;
    }

    /** Only locks that are not free, or have waiters. */
    public LockListInput busy(boolean value) {
      put("busy", value);
      return this;
    }

    /** The most per page. */
    public LockListInput limit(long value) {
      put("limit", value);
      return this;
    }
  }

  public static final class LockCheckInput extends JsonObject {
    public LockCheckInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public LockCheckInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and
     * job are three locks.
     */
    public LockCheckInput name(String value) {
      put("name", value);
      return this;
    }

    /** The fencing token of the grant: a positive integer below 2^53. */
    public LockCheckInput token(long value) {
      put("token", value);
      return this;
    }
  }

  public static final class CounterGetInput extends JsonObject {
    public CounterGetInput() {}

    /**
     * A group of locks with a policy. An API key is valid only for the namespaces that it was
     * created for.
     */
    public CounterGetInput namespace(String value) {
      put("namespace", value);
      return this;
    }

    /**
     * The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of
     * the same name is independent of it.
     */
    public CounterGetInput name(String value) {
      put("name", value);
      return this;
    }
  }
}

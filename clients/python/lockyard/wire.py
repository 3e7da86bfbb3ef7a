"""Inputs and answers. Generated from the API's description: `npm run clients:generate`.

Names and values are those of the wire, in milliseconds. Answers may gain fields.
"""

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union


class HolderSet(TypedDict):
    # The same for all holds of one lock.acquireMany.
    id: str
    # The number of these holds.
    size: int



class _Holder(TypedDict):
    # The holder’s or waiter’s own name for itself.
    owner: str
    # The name of its API key.
    service: str
    # The fencing token of the hold: higher than that of every earlier grant.
    token: int
    # exclusive: alone. shared: together with other shared holds. permit: together with other permit
    # holds, as long as their permits add up to no more than the lock’s capacity.
    mode: Literal["exclusive", "shared", "permit"]
    # How often the owner has entered, and must release.
    holdCount: int
    # When it was granted, in epoch milliseconds.
    grantedAt: int
    # The end of the lease, in epoch milliseconds of the backend’s clock.
    expiresAt: int
    # What is left of the lease, in milliseconds, for callers whose clock differs.
    expiresInMs: int


class Holder(_Holder, total=False):
    """One live hold."""

    # Only in mode permit: the number of permits.
    permits: int
    # Only with holdAtLeastMs: the lock stays taken at least until then.
    keptUntil: int
    # When its holder released it, before keptUntil. The lock is still taken, and frees at
    # expiresAt.
    releasedAt: int
    # Only for a hold of a lock.acquireMany.
    set: HolderSet
    # The role in the meta of the hold, such as leader; absent without one.
    role: str
    # Only for holds of the caller’s own service: the traceparent header of the acquire, if it had a
    # valid one.
    traceparent: str



class _Waiter(TypedDict):
    # 1 is next.
    place: int
    # Identifies the waiter; lower tickets are served first.
    ticket: int
    # exclusive: alone. shared: together with other shared holds. permit: together with other permit
    # holds, as long as their permits add up to no more than the lock’s capacity.
    mode: Literal["exclusive", "shared", "permit"]
    # The holder’s or waiter’s own name for itself.
    owner: str
    # The name of its API key.
    service: str
    # When it began to wait, in epoch milliseconds.
    enqueuedAt: int
    waitedMs: int
    # How much longer it will wait.
    patienceLeftMs: int


class Waiter(_Waiter, total=False):
    """One waiter in the queue."""

    # Only in mode permit: the number of permits.
    permits: int
    # Only for a lock.acquireMany: how many locks it wants.
    setSize: int



class _Granted(TypedDict):
    outcome: Literal["granted"]
    # The fencing token of the hold: higher than that of every earlier grant.
    token: int
    # The lock’s version: one more for each accepted change.
    rev: int
    # How often the owner has entered, and must release.
    holdCount: int
    # The end of the lease, in epoch milliseconds of the backend’s clock.
    expiresAt: int
    # What is left of the lease, in milliseconds, for callers whose clock differs.
    expiresInMs: int
    # How long the call waited.
    waitedMs: int


class Granted(_Granted, total=False):
    """The lock is held until expiresAt. Keep the token."""

    # Only after a wait for another hold of the same service: the traceparent of that hold, for a
    # link from the span of the wait.
    waitedForTraceparent: str



class Held(TypedDict):
    """Another owner holds it, and waitMs was 0."""

    outcome: Literal["held"]
    holders: List[Holder]
    # The number of waiters.
    queueLength: int
    # When to try again, in milliseconds from now.
    retryAfterMs: int



class Timeout(TypedDict):
    """Not granted within waitMs; final for this requestId."""

    outcome: Literal["timeout"]
    holders: List[Holder]
    # The number of waiters.
    queueLength: int
    # When to try again, in milliseconds from now.
    retryAfterMs: int



class Queued(TypedDict):
    """Still waiting after 25 s, or the server is shutting down: repeat the same call
    immediately. Without a request the place is kept for 2 s.
    """

    outcome: Literal["queued"]
    ticket: int
    # 1 is next.
    place: int
    # What is left of waitMs, over all requests with this id.
    patienceLeftMs: int



class QueueFull(TypedDict):
    """The queue is full."""

    outcome: Literal["queueFull"]
    # The number of waiters.
    queueLength: int
    # When to try again, in milliseconds from now.
    retryAfterMs: int



class Frozen(TypedDict):
    """An operator has frozen the lock, and waitMs was 0. With a wait it is queued."""

    outcome: Literal["frozen"]
    # The operator’s reason.
    reason: str



class Ended(TypedDict):
    """This requestId was granted before, and that hold has ended. It is not granted again."""

    outcome: Literal["ended"]
    # The fencing token of the hold: higher than that of every earlier grant.
    token: int
    # How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
    # ago or was never granted.
    cause: Literal["expired", "released", "forced", "superseded"]



class Cancelled(TypedDict):
    """It has left the queue."""

    outcome: Literal["cancelled"]



class CancelReleased(TypedDict):
    """It was granted meanwhile; the hold is released."""

    outcome: Literal["released"]



class CancelNone(TypedDict):
    """There is nothing to cancel."""

    outcome: Literal["none"]



class Remark(TypedDict):
    # The operator’s name.
    by: str
    # The operator’s reason.
    reason: str
    # When, in epoch milliseconds.
    at: int



class _Renewed(TypedDict):
    outcome: Literal["renewed"]
    # The lock’s version: one more for each accepted change.
    rev: int
    # The end of the lease, in epoch milliseconds of the backend’s clock.
    expiresAt: int
    # What is left of the lease, in milliseconds, for callers whose clock differs.
    expiresInMs: int


class Renewed(_Renewed, total=False):
    """The lease was restarted. It is never shortened."""

    # An operator asks for the lock. The holder decides; it should finish soon.
    askedToRelease: Remark
    # Renewals no longer extend this hold: it ends at expiresAt.
    renewalsStopped: Remark



class _Lost(TypedDict):
    outcome: Literal["lost"]
    # How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
    # ago or was never granted.
    cause: Literal["expired", "released", "forced", "superseded"]
    # The latest instant at which it had certainly ended, in epoch milliseconds.
    at: int


class Lost(_Lost, total=False):
    """The hold has ended. Stop the work that the lock guards."""

    # The operator who ended it.
    by: str
    # The operator’s reason.
    reason: str



class _Released(TypedDict):
    outcome: Literal["released"]


class Released(_Released, total=False):
    """The hold has ended. The lock is free, or stays taken until freesAt."""

    # Only before the end of holdAtLeastMs: the lock stays taken until this instant.
    freesAt: int
    # The time left until freesAt.
    freesInMs: int



class Decremented(TypedDict):
    """The owner had entered more than once: holdCount releases are left."""

    outcome: Literal["decremented"]
    # How often the owner has entered, and must release.
    holdCount: int


AcquireAnswer = Union[Granted, Held, Queued, Timeout, QueueFull, Frozen, Ended]


CancelAnswer = Union[Cancelled, CancelReleased, CancelNone]


RenewAnswer = Union[Renewed, Released, Lost]


ReleaseAnswer = Union[Released, Decremented, Lost]



class _PermitUse(TypedDict):
    # How many permits may be held at the same time.
    capacity: int
    # How many are held. Over capacity only if it was lowered.
    inUse: int


class PermitUse(_PermitUse, total=False):
    # Only after an operator’s change: the capacity that callers named before, and still can.
    named: int



class _InspectAnswer(TypedDict):
    # expired: the last hold expired, and there has been no grant since. delayed: in the pause after
    # a lost hold. frozen: no new grants, whether or not it is held.
    state: Literal["free", "held", "expired", "delayed", "frozen"]
    # The lock’s version: one more for each accepted change.
    rev: int
    holders: List[Holder]
    # In the order in which they will be granted.
    waiters: List[Waiter]
    # A resource that stores the highest token can reject every token below this.
    minValidToken: int


class InspectAnswer(_InspectAnswer, total=False):
    """The state of the lock now."""

    # The permits of a lock, as long as any are held or waited for.
    permits: PermitUse
    # Who froze the lock, and why.
    frozen: Remark
    # The end of the pause in epoch milliseconds; only while it lasts.
    delayedUntil: int



class _ListedLock(TypedDict):
    # Its name, byte by byte.
    name: str
    # unknown: its backend does not respond, or has not been read since it does again, and this is
    # the last reading; or its record cannot be read.
    state: Literal["free", "held", "expired", "delayed", "frozen", "unknown"]
    # The lock’s version: one more for each accepted change.
    rev: int
    holders: List[Holder]
    # The number of waiters.
    queueLength: int


class ListedLock(_ListedLock, total=False):
    """One lock as the server last read it."""

    # The permits of a lock, as long as any are held or waited for.
    permits: PermitUse
    # Why its record cannot be read.
    unreadable: str



class ListAnswer(TypedDict):
    """One page of the locks of a namespace."""

    # In the byte order of their names.
    locks: List[ListedLock]
    # The after of the next page; null on the last page.
    next: Optional[str]
    # The age of this list.
    ageMs: int



class CheckAnswer(TypedDict):
    """Whether a token is still valid."""

    # Whether that hold is live at the time of the answer.
    valid: bool



class WatchAnswer(TypedDict):
    """The changes of the watched locks."""

    # The latest state of each lock that changed, up to 500; empty if none did. Present states by
    # prefix do not include free locks.
    locks: List[ListedLock]
    # The since of the next call.
    position: str
    # The since of the call is not known: it is too old, or from before a restart. This and the
    # following answers contain the present states of all watched locks, until more is false.
    reset: bool
    # There are more changes already: repeat the call immediately.
    more: bool



class _GrantOfSet(TypedDict):
    # The lock’s name.
    name: str
    # exclusive: alone. shared: together with other shared holds. permit: together with other permit
    # holds, as long as their permits add up to no more than the lock’s capacity.
    mode: Literal["exclusive", "shared", "permit"]
    # The fencing token of the hold: higher than that of every earlier grant.
    token: int
    # The lock’s version: one more for each accepted change.
    rev: int
    # How often the owner has entered, and must release.
    holdCount: int
    # The end of the lease, in epoch milliseconds of the backend’s clock.
    expiresAt: int
    # What is left of the lease, in milliseconds, for callers whose clock differs.
    expiresInMs: int
    # How long the call waited in all queues together.
    waitedMs: int


class GrantOfSet(_GrantOfSet, total=False):
    # Only after a wait for another hold of the same service: the traceparent of that hold, for a
    # link from the span of the wait.
    waitedForTraceparent: str



class SetGranted(TypedDict):
    """All locks are held until their expiresAt. Keep the tokens."""

    outcome: Literal["granted"]
    # The holds of all locks, sorted by name.
    grants: List[GrantOfSet]



class Block(TypedDict):
    # The lock’s name.
    name: str
    # As in lock.inspect. free with a queue: other callers are before this one.
    state: Literal["free", "held", "expired", "delayed", "frozen"]
    holders: List[Holder]
    # The number of waiters.
    queueLength: int



class SetHeld(TypedDict):
    """Not all locks were free, so none was granted, and waitMs was 0."""

    outcome: Literal["held"]
    # The locks that block the call now.
    blockedBy: List[Block]
    # When to try again, in milliseconds from now.
    retryAfterMs: int



class SetQueued(TypedDict):
    """Still waiting after 25 s, or the server is shutting down: repeat the same call
    immediately. Without a request the place is kept for 2 s. Meanwhile the call holds none
    of the locks.
    """

    outcome: Literal["queued"]
    # The lock in whose queue the call waits now, which can change.
    name: str
    # Identifies the waiter in that queue.
    ticket: int
    # 1 is next at that lock.
    place: int
    # What is left of waitMs, over all requests with this id.
    patienceLeftMs: int
    # The locks that block the call now.
    blockedBy: List[Block]



class SetTimeout(TypedDict):
    """Not granted within waitMs; final for this requestId."""

    outcome: Literal["timeout"]
    # The locks that block the call now.
    blockedBy: List[Block]
    # When to try again, in milliseconds from now.
    retryAfterMs: int



class SetQueueFull(TypedDict):
    """The queue of that lock is full."""

    outcome: Literal["queueFull"]
    # The lock’s name.
    name: str
    # The number of waiters.
    queueLength: int
    # When to try again, in milliseconds from now.
    retryAfterMs: int



class SetFrozen(TypedDict):
    """An operator has frozen that lock, and waitMs was 0."""

    outcome: Literal["frozen"]
    # The lock’s name.
    name: str
    # The operator’s reason.
    reason: str



class EndOfSet(TypedDict):
    # The lock’s name.
    name: str
    # The fencing token of the hold: higher than that of every earlier grant.
    token: int
    # How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
    # ago or was never granted.
    cause: Literal["expired", "released", "forced", "superseded"]



class SetEnded(TypedDict):
    """This requestId was granted before, and some of its holds have ended."""

    outcome: Literal["ended"]
    # The holds that have ended, and how.
    ended: List[EndOfSet]
    # The holds that are still live.
    grants: List[GrantOfSet]


AcquireManyAnswer = Union[
    SetGranted, SetHeld, SetQueued, SetTimeout, SetQueueFull, SetFrozen, SetEnded
]



class CounterCreated(TypedDict):
    """The counter was created."""

    outcome: Literal["created"]



class CounterExists(TypedDict):
    """The counter existed already and was not changed."""

    outcome: Literal["exists"]
    # The counter’s value.
    value: int
    # The value never goes below it; null: no limit.
    floor: Optional[int]
    # The value never goes above it; null: no limit.
    ceiling: Optional[int]



class CounterApplied(TypedDict):
    """The step was applied; value is the result."""

    outcome: Literal["applied"]
    # The counter’s value.
    value: int
    # The counter’s version: one more for each accepted change.
    rev: int



class _CounterOutOfBounds(TypedDict):
    outcome: Literal["outOfBounds"]
    # The counter’s value.
    value: int
    # The value never goes below it; null: no limit.
    floor: Optional[int]
    # The value never goes above it; null: no limit.
    ceiling: Optional[int]


class CounterOutOfBounds(_CounterOutOfBounds, total=False):
    """The result would be outside the bounds. Nothing was changed."""

    # The gate refused the step: value and the bounds come from its Redis, not from MySQL.
    estimate: bool


CounterCreateAnswer = Union[CounterCreated, CounterExists]


CounterAddAnswer = Union[CounterApplied, CounterOutOfBounds]



class CounterGetAnswer(TypedDict):
    """The present value of the counter, and its bounds."""

    # The counter’s value.
    value: int
    # The value never goes below it; null: no limit.
    floor: Optional[int]
    # The value never goes above it; null: no limit.
    ceiling: Optional[int]
    # The counter’s version: one more for each accepted change.
    rev: int



class _LockAcquireInput(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str
    # The hold ends after this time unless it is renewed: 100 ms to 24 h.
    leaseMs: int


class LockAcquireInput(_LockAcquireInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
    # hold belongs to the key’s service and this owner.
    owner: str
    # How long to wait, up to 10 min, over all requests with the same requestId, which is required
    # over 25,000. Must be 0 in a batch.
    waitMs: int
    # exclusive: alone. shared: together with other shared holds. permit: together with other permit
    # holds, as long as their permits add up to no more than the lock’s capacity.
    mode: Literal["exclusive", "shared", "permit"]
    # The lock stays taken for at least this long after the grant, even if it is released sooner; at
    # most leaseMs. For jobs that several machines start at about the same time, but only one should
    # run. An operator can end it.
    holdAtLeastMs: int
    # Only in mode permit: how many permits to take together; 1 by default.
    permits: int
    # Required in mode permit, and only there: how many permits may be held at the same time, 1 to
    # 10,000. The first caller sets it. As long as permits are held or waited for, another capacity
    # is INVALID.
    capacity: int
    # The same owner may enter again: it gets the same token, and must release as often as it
    # entered.
    reentrant: bool
    # Texts that operators see with the hold, up to 1 KB as JSON; host, pid and version have their
    # own fields.
    meta: Dict[str, str]
    # Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
    # input, it gets the same answer and is not applied twice. With another input it is INVALID.
    requestId: str



class _LockCancelInput(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str
    # Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
    # input, it gets the same answer and is not applied twice. With another input it is INVALID.
    requestId: str


class LockCancelInput(_LockCancelInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
    # hold belongs to the key’s service and this owner.
    owner: str



class _LockOfSet(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str


class LockOfSet(_LockOfSet, total=False):
    # exclusive: alone. shared: together with other shared holds.
    mode: Literal["exclusive", "shared"]



class _LockAcquireManyInput(TypedDict):
    # 2 to 20 different locks of one namespace, in any order.
    locks: List[LockOfSet]
    # The hold ends after this time unless it is renewed: 100 ms to 24 h.
    leaseMs: int


class LockAcquireManyInput(_LockAcquireManyInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
    # hold belongs to the key’s service and this owner.
    owner: str
    # How long to wait, up to 10 min, over all requests with the same requestId, which is required
    # over 25,000. Must be 0 in a batch.
    waitMs: int
    # The lock stays taken for at least this long after the grant, even if it is released sooner; at
    # most leaseMs. For jobs that several machines start at about the same time, but only one should
    # run. An operator can end it.
    holdAtLeastMs: int
    # Texts that operators see with the hold, up to 1 KB as JSON; host, pid and version have their
    # own fields.
    meta: Dict[str, str]
    # Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
    # input, it gets the same answer and is not applied twice. With another input it is INVALID.
    requestId: str



class _LockCancelManyInput(TypedDict):
    # Exactly the names of the lock.acquireMany, in any order.
    names: List[str]
    # Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
    # input, it gets the same answer and is not applied twice. With another input it is INVALID.
    requestId: str


class LockCancelManyInput(_LockCancelManyInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
    # hold belongs to the key’s service and this owner.
    owner: str



class _LockRenewInput(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str
    # The fencing token of the grant: a positive integer below 2^53.
    token: int
    # The hold ends after this time unless it is renewed: 100 ms to 24 h.
    leaseMs: int


class LockRenewInput(_LockRenewInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
    # hold belongs to the key’s service and this owner.
    owner: str



class _LockReleaseInput(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str
    # The fencing token of the grant: a positive integer below 2^53.
    token: int


class LockReleaseInput(_LockReleaseInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
    # hold belongs to the key’s service and this owner.
    owner: str
    # Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
    # input, it gets the same answer and is not applied twice. With another input it is INVALID.
    requestId: str



class LockWatchInput(TypedDict, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The locks to watch, up to 1000; or give a prefix.
    names: List[str]
    # Watches all locks of the namespace whose names begin with this, compared byte by byte; empty:
    # all.
    prefix: str
    # The position of the last answer for the same locks: the answer contains what changed since.
    # Without it, the answer contains the present states.
    since: str
    # How long to wait for a change, up to 25 s. 0 in a batch. An event stream ignores it.
    waitMs: int



class _CounterCreateInput(TypedDict):
    # The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the
    # same name is independent of it.
    name: str


class CounterCreateInput(_CounterCreateInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # The initial value, which must be within the bounds.
    initial: int
    # The value never goes below it. Default: no limit.
    floor: int
    # The value never goes above it. Default: no limit.
    ceiling: int



class _CounterAddInput(TypedDict):
    # The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the
    # same name is independent of it.
    name: str
    # A whole number between −2^53 and 2^53, applied entirely or not at all.
    delta: int


class CounterAddInput(_CounterAddInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
    # input, it gets the same answer and is not applied twice. With another input it is INVALID.
    requestId: str
    # True: no request with this requestId was ever sent before. Only then may a gate refuse a step
    # that has a requestId; it may refuse any step without one.
    firstAttempt: bool



class _LockInspectInput(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str


class LockInspectInput(_LockInspectInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str



class LockListInput(TypedDict, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str
    # Only names that begin with this, compared byte by byte; empty: all.
    prefix: str
    # Only names after this one: the next of the page before.
    after: str
    # Only locks that are not free, or have waiters.
    busy: bool
    # The most per page.
    limit: int



class _LockCheckInput(TypedDict):
    # The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
    # are three locks.
    name: str
    # The fencing token of the grant: a positive integer below 2^53.
    token: int


class LockCheckInput(_LockCheckInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str



class _CounterGetInput(TypedDict):
    # The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the
    # same name is independent of it.
    name: str


class CounterGetInput(_CounterGetInput, total=False):
    # A group of locks with a policy. An API key is valid only for the namespaces that it was
    # created for.
    namespace: str


REASONS = (
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
    "INTERNAL",
)
"""Every reason of a refusal that this client knows; a server may have more."""

ANSWER_NEEDS: Dict[str, Dict[str, List[str]]] = {
    "lock.acquire": {
        "granted": ["token", "expiresAt", "expiresInMs", "waitedMs"],
        "held": [],
        "queued": [],
        "timeout": [],
        "queueFull": [],
        "frozen": ["reason"],
        "ended": ["token", "cause"],
    },
    "lock.cancel": {
        "cancelled": [],
        "released": [],
        "none": [],
    },
    "lock.acquireMany": {
        "granted": ["grants"],
        "held": [],
        "queued": [],
        "timeout": [],
        "queueFull": [],
        "frozen": ["reason"],
        "ended": ["grants"],
    },
    "lock.cancelMany": {
        "cancelled": [],
        "released": [],
        "none": [],
    },
    "lock.renew": {
        "renewed": ["expiresAt", "expiresInMs"],
        "released": [],
        "lost": ["cause"],
    },
    "lock.release": {
        "released": [],
        "decremented": [],
        "lost": ["cause"],
    },
    "lock.inspect": {
        "": ["state"],
    },
    "lock.list": {
        "": ["locks"],
    },
    "lock.watch": {
        "": ["locks", "position"],
    },
    "lock.check": {
        "": ["valid"],
    },
    "counter.create": {
        "created": [],
        "exists": ["value"],
    },
    "counter.add": {
        "applied": ["value"],
        "outOfBounds": ["value"],
    },
    "counter.get": {
        "": ["value"],
    },
}
"""The fields that answers must have, by procedure and outcome; "" for answers without one."""


class Procedures:
    """The service API: each method sends one request, once.

    Expected outcomes are values with `outcome`; everything else is raised as `LockyardError`.
    """

    def _call(self, procedure: str, kind: str, ask: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def acquire(self, ask: LockAcquireInput) -> AcquireAnswer:
        """Acquire a lock: `lock.acquire`."""
        return self._call("lock.acquire", "mutation", ask)

    def cancel(self, ask: LockCancelInput) -> CancelAnswer:
        """Cancel an acquire: `lock.cancel`."""
        return self._call("lock.cancel", "mutation", ask)

    def acquire_many(self, ask: LockAcquireManyInput) -> AcquireManyAnswer:
        """Acquire several locks together: `lock.acquireMany`."""
        return self._call("lock.acquireMany", "mutation", ask)

    def cancel_many(self, ask: LockCancelManyInput) -> CancelAnswer:
        """Cancel an acquire of several locks: `lock.cancelMany`."""
        return self._call("lock.cancelMany", "mutation", ask)

    def renew(self, ask: LockRenewInput) -> RenewAnswer:
        """Renew a lock: `lock.renew`."""
        return self._call("lock.renew", "mutation", ask)

    def release(self, ask: LockReleaseInput) -> ReleaseAnswer:
        """Release a lock: `lock.release`."""
        return self._call("lock.release", "mutation", ask)

    def inspect(self, ask: LockInspectInput) -> InspectAnswer:
        """Inspect a lock: `lock.inspect`."""
        return self._call("lock.inspect", "query", ask)

    def list(self, ask: LockListInput) -> ListAnswer:
        """List locks: `lock.list`."""
        return self._call("lock.list", "query", ask)

    def watch(self, ask: LockWatchInput) -> WatchAnswer:
        """Watch locks: `lock.watch`."""
        return self._call("lock.watch", "mutation", ask)

    def check(self, ask: LockCheckInput) -> CheckAnswer:
        """Check a token: `lock.check`."""
        return self._call("lock.check", "query", ask)

    def create_counter(self, ask: CounterCreateInput) -> CounterCreateAnswer:
        """Create a counter: `counter.create`."""
        return self._call("counter.create", "mutation", ask)

    def add_to_counter(self, ask: CounterAddInput) -> CounterAddAnswer:
        """Add to a counter: `counter.add`."""
        return self._call("counter.add", "mutation", ask)

    def get_counter(self, ask: CounterGetInput) -> CounterGetAnswer:
        """Read a counter: `counter.get`."""
        return self._call("counter.get", "query", ask)

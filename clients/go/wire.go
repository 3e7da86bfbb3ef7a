// Code generated from the API's description by npm run clients:generate; DO NOT EDIT.

package lockyard

import "context"

// The reasons of an Error that this client knows; a server may have more.
const (
	ReasonInvalid         = "INVALID"
	ReasonUnauthenticated = "UNAUTHENTICATED"
	ReasonForbidden       = "FORBIDDEN"
	ReasonNotFound        = "NOT_FOUND"
	ReasonConflict        = "CONFLICT"
	ReasonTooLarge        = "TOO_LARGE"
	ReasonRateLimited     = "RATE_LIMITED"
	ReasonNamespaceFull   = "NAMESPACE_FULL"
	ReasonContended       = "CONTENDED"
	ReasonUnsupported     = "UNSUPPORTED"
	ReasonBackendDown     = "BACKEND_DOWN"
	ReasonUnknown         = "UNKNOWN"
	ReasonInternal        = "INTERNAL"
)

// Reasons are all of them.
var Reasons = []string{
	ReasonInvalid,
	ReasonUnauthenticated,
	ReasonForbidden,
	ReasonNotFound,
	ReasonConflict,
	ReasonTooLarge,
	ReasonRateLimited,
	ReasonNamespaceFull,
	ReasonContended,
	ReasonUnsupported,
	ReasonBackendDown,
	ReasonUnknown,
	ReasonInternal,
}

// The fields that answers must have, by procedure and outcome; "" for answers without one.
var answerNeeds = map[string]map[string][]string{
	"lock.acquire": {
		"granted":   {"token", "expiresAt", "expiresInMs", "waitedMs"},
		"held":      {},
		"queued":    {},
		"timeout":   {},
		"queueFull": {},
		"frozen":    {"reason"},
		"ended":     {"token", "cause"},
	},
	"lock.cancel": {
		"cancelled": {},
		"released":  {},
		"none":      {},
	},
	"lock.acquireMany": {
		"granted":   {"grants"},
		"held":      {},
		"queued":    {},
		"timeout":   {},
		"queueFull": {},
		"frozen":    {"reason"},
		"ended":     {"grants"},
	},
	"lock.cancelMany": {
		"cancelled": {},
		"released":  {},
		"none":      {},
	},
	"lock.renew": {
		"renewed":  {"expiresAt", "expiresInMs"},
		"released": {},
		"lost":     {"cause"},
	},
	"lock.release": {
		"released":    {},
		"decremented": {},
		"lost":        {"cause"},
	},
	"lock.inspect": {
		"": {"state"},
	},
	"lock.list": {
		"": {"locks"},
	},
	"lock.watch": {
		"": {"locks", "position"},
	},
	"lock.check": {
		"": {"valid"},
	},
	"counter.create": {
		"created": {},
		"exists":  {"value"},
	},
	"counter.add": {
		"applied":     {"value"},
		"outOfBounds": {"value"},
	},
	"counter.get": {
		"": {"value"},
	},
}

type HolderSet struct {
	// The same for all holds of one lock.acquireMany.
	ID string `json:"id"`

	// The number of these holds.
	Size int64 `json:"size"`
}

// Holder: One live hold.
type Holder struct {
	// The holder’s or waiter’s own name for itself.
	Owner string `json:"owner"`

	// The name of its API key.
	Service string `json:"service"`

	// The fencing token of the hold: higher than that of every earlier grant.
	Token int64 `json:"token"`

	// exclusive: alone. shared: together with other shared holds. permit: together with other permit
	// holds, as long as their permits add up to no more than the lock’s capacity.
	Mode string `json:"mode"`

	// Only in mode permit: the number of permits.
	Permits int64 `json:"permits,omitempty"`

	// How often the owner has entered, and must release.
	HoldCount int64 `json:"holdCount"`

	// When it was granted, in epoch milliseconds.
	GrantedAt int64 `json:"grantedAt"`

	// The end of the lease, in epoch milliseconds of the backend’s clock.
	ExpiresAt int64 `json:"expiresAt"`

	// What is left of the lease, in milliseconds, for callers whose clock differs.
	ExpiresInMs int64 `json:"expiresInMs"`

	// Only with holdAtLeastMs: the lock stays taken at least until then.
	KeptUntil int64 `json:"keptUntil,omitempty"`

	// When its holder released it, before keptUntil. The lock is still taken, and frees at
	// expiresAt.
	ReleasedAt int64 `json:"releasedAt,omitempty"`

	// Only for a hold of a lock.acquireMany.
	Set *HolderSet `json:"set,omitempty"`

	// The role in the meta of the hold, such as leader; absent without one.
	Role string `json:"role,omitempty"`

	// Only for holds of the caller’s own service: the traceparent header of the acquire, if it had a
	// valid one.
	Traceparent string `json:"traceparent,omitempty"`
}

// Waiter: One waiter in the queue.
type Waiter struct {
	// 1 is next.
	Place int64 `json:"place"`

	// Identifies the waiter; lower tickets are served first.
	Ticket int64 `json:"ticket"`

	// exclusive: alone. shared: together with other shared holds. permit: together with other permit
	// holds, as long as their permits add up to no more than the lock’s capacity.
	Mode string `json:"mode"`

	// Only in mode permit: the number of permits.
	Permits int64 `json:"permits,omitempty"`

	// The holder’s or waiter’s own name for itself.
	Owner string `json:"owner"`

	// The name of its API key.
	Service string `json:"service"`

	// When it began to wait, in epoch milliseconds.
	EnqueuedAt int64 `json:"enqueuedAt"`

	WaitedMs int64 `json:"waitedMs"`

	// How much longer it will wait.
	PatienceLeftMs int64 `json:"patienceLeftMs"`

	// Only for a lock.acquireMany: how many locks it wants.
	SetSize int64 `json:"setSize,omitempty"`
}

// Granted: The lock is held until expiresAt. Keep the token.
type Granted struct {
	Outcome string `json:"outcome"`

	// The fencing token of the hold: higher than that of every earlier grant.
	Token int64 `json:"token"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev"`

	// How often the owner has entered, and must release.
	HoldCount int64 `json:"holdCount"`

	// The end of the lease, in epoch milliseconds of the backend’s clock.
	ExpiresAt int64 `json:"expiresAt"`

	// What is left of the lease, in milliseconds, for callers whose clock differs.
	ExpiresInMs int64 `json:"expiresInMs"`

	// How long the call waited.
	WaitedMs int64 `json:"waitedMs"`

	// Only after a wait for another hold of the same service: the traceparent of that hold, for a
	// link from the span of the wait.
	WaitedForTraceparent string `json:"waitedForTraceparent,omitempty"`
}

// Held: Another owner holds it, and waitMs was 0.
type Held struct {
	Outcome string `json:"outcome"`

	Holders []Holder `json:"holders"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs"`
}

// Timeout: Not granted within waitMs; final for this requestId.
type Timeout struct {
	Outcome string `json:"outcome"`

	Holders []Holder `json:"holders"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs"`
}

// Queued: Still waiting after 25 s, or the server is shutting down: repeat the same call
// immediately. Without a request the place is kept for 2 s.
type Queued struct {
	Outcome string `json:"outcome"`

	Ticket int64 `json:"ticket"`

	// 1 is next.
	Place int64 `json:"place"`

	// What is left of waitMs, over all requests with this id.
	PatienceLeftMs int64 `json:"patienceLeftMs"`
}

// QueueFull: The queue is full.
type QueueFull struct {
	Outcome string `json:"outcome"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs"`
}

// Frozen: An operator has frozen the lock, and waitMs was 0. With a wait it is queued.
type Frozen struct {
	Outcome string `json:"outcome"`

	// The operator’s reason.
	Reason string `json:"reason"`
}

// Ended: This requestId was granted before, and that hold has ended. It is not granted again.
type Ended struct {
	Outcome string `json:"outcome"`

	// The fencing token of the hold: higher than that of every earlier grant.
	Token int64 `json:"token"`

	// How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
	// ago or was never granted.
	Cause string `json:"cause"`
}

// Cancelled: It has left the queue.
type Cancelled struct {
	Outcome string `json:"outcome"`
}

// CancelReleased: It was granted meanwhile; the hold is released.
type CancelReleased struct {
	Outcome string `json:"outcome"`
}

// CancelNone: There is nothing to cancel.
type CancelNone struct {
	Outcome string `json:"outcome"`
}

type Remark struct {
	// The operator’s name.
	By string `json:"by"`

	// The operator’s reason.
	Reason string `json:"reason"`

	// When, in epoch milliseconds.
	At int64 `json:"at"`
}

// Renewed: The lease was restarted. It is never shortened.
type Renewed struct {
	Outcome string `json:"outcome"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev"`

	// The end of the lease, in epoch milliseconds of the backend’s clock.
	ExpiresAt int64 `json:"expiresAt"`

	// What is left of the lease, in milliseconds, for callers whose clock differs.
	ExpiresInMs int64 `json:"expiresInMs"`

	// An operator asks for the lock. The holder decides; it should finish soon.
	AskedToRelease *Remark `json:"askedToRelease,omitempty"`

	// Renewals no longer extend this hold: it ends at expiresAt.
	RenewalsStopped *Remark `json:"renewalsStopped,omitempty"`
}

// Lost: The hold has ended. Stop the work that the lock guards.
type Lost struct {
	Outcome string `json:"outcome"`

	// How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
	// ago or was never granted.
	Cause string `json:"cause"`

	// The latest instant at which it had certainly ended, in epoch milliseconds.
	At int64 `json:"at"`

	// The operator who ended it.
	By string `json:"by,omitempty"`

	// The operator’s reason.
	Reason string `json:"reason,omitempty"`
}

// Released: The hold has ended. The lock is free, or stays taken until freesAt.
type Released struct {
	Outcome string `json:"outcome"`

	// Only before the end of holdAtLeastMs: the lock stays taken until this instant.
	FreesAt int64 `json:"freesAt,omitempty"`

	// The time left until freesAt.
	FreesInMs int64 `json:"freesInMs,omitempty"`
}

// Decremented: The owner had entered more than once: holdCount releases are left.
type Decremented struct {
	Outcome string `json:"outcome"`

	// How often the owner has entered, and must release.
	HoldCount int64 `json:"holdCount"`
}

// AcquireAnswer is one of Granted, Held, Queued, Timeout, QueueFull, Frozen, Ended: Outcome says
// which, and so which fields are set.
type AcquireAnswer struct {
	Outcome string `json:"outcome"`

	// The fencing token of the hold: higher than that of every earlier grant.
	Token int64 `json:"token,omitempty"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev,omitempty"`

	// How often the owner has entered, and must release.
	HoldCount int64 `json:"holdCount,omitempty"`

	// The end of the lease, in epoch milliseconds of the backend’s clock.
	ExpiresAt int64 `json:"expiresAt,omitempty"`

	// What is left of the lease, in milliseconds, for callers whose clock differs.
	ExpiresInMs int64 `json:"expiresInMs,omitempty"`

	// How long the call waited.
	WaitedMs int64 `json:"waitedMs,omitempty"`

	// Only after a wait for another hold of the same service: the traceparent of that hold, for a
	// link from the span of the wait.
	WaitedForTraceparent string `json:"waitedForTraceparent,omitempty"`

	Holders []Holder `json:"holders,omitempty"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength,omitempty"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`

	Ticket int64 `json:"ticket,omitempty"`

	// 1 is next.
	Place int64 `json:"place,omitempty"`

	// What is left of waitMs, over all requests with this id.
	PatienceLeftMs int64 `json:"patienceLeftMs,omitempty"`

	// The operator’s reason.
	Reason string `json:"reason,omitempty"`

	// How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
	// ago or was never granted.
	Cause string `json:"cause,omitempty"`
}

// CancelAnswer is one of Cancelled, CancelReleased, CancelNone: Outcome says which, and so which
// fields are set.
type CancelAnswer struct {
	Outcome string `json:"outcome"`
}

// RenewAnswer is one of Renewed, Released, Lost: Outcome says which, and so which fields are
// set.
type RenewAnswer struct {
	Outcome string `json:"outcome"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev,omitempty"`

	// The end of the lease, in epoch milliseconds of the backend’s clock.
	ExpiresAt int64 `json:"expiresAt,omitempty"`

	// What is left of the lease, in milliseconds, for callers whose clock differs.
	ExpiresInMs int64 `json:"expiresInMs,omitempty"`

	// An operator asks for the lock. The holder decides; it should finish soon.
	AskedToRelease *Remark `json:"askedToRelease,omitempty"`

	// Renewals no longer extend this hold: it ends at expiresAt.
	RenewalsStopped *Remark `json:"renewalsStopped,omitempty"`

	// Only before the end of holdAtLeastMs: the lock stays taken until this instant.
	FreesAt int64 `json:"freesAt,omitempty"`

	// The time left until freesAt.
	FreesInMs int64 `json:"freesInMs,omitempty"`

	// How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
	// ago or was never granted.
	Cause string `json:"cause,omitempty"`

	// The latest instant at which it had certainly ended, in epoch milliseconds.
	At int64 `json:"at,omitempty"`

	// The operator who ended it.
	By string `json:"by,omitempty"`

	// The operator’s reason.
	Reason string `json:"reason,omitempty"`
}

// ReleaseAnswer is one of Released, Decremented, Lost: Outcome says which, and so which fields
// are set.
type ReleaseAnswer struct {
	Outcome string `json:"outcome"`

	// Only before the end of holdAtLeastMs: the lock stays taken until this instant.
	FreesAt int64 `json:"freesAt,omitempty"`

	// The time left until freesAt.
	FreesInMs int64 `json:"freesInMs,omitempty"`

	// How often the owner has entered, and must release.
	HoldCount int64 `json:"holdCount,omitempty"`

	// How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
	// ago or was never granted.
	Cause string `json:"cause,omitempty"`

	// The latest instant at which it had certainly ended, in epoch milliseconds.
	At int64 `json:"at,omitempty"`

	// The operator who ended it.
	By string `json:"by,omitempty"`

	// The operator’s reason.
	Reason string `json:"reason,omitempty"`
}

type PermitUse struct {
	// How many permits may be held at the same time.
	Capacity int64 `json:"capacity"`

	// How many are held. Over capacity only if it was lowered.
	InUse int64 `json:"inUse"`

	// Only after an operator’s change: the capacity that callers named before, and still can.
	Named int64 `json:"named,omitempty"`
}

// InspectAnswer: The state of the lock now.
type InspectAnswer struct {
	// expired: the last hold expired, and there has been no grant since. delayed: in the pause after
	// a lost hold. frozen: no new grants, whether or not it is held.
	State string `json:"state"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev"`

	Holders []Holder `json:"holders"`

	// The permits of a lock, as long as any are held or waited for.
	Permits *PermitUse `json:"permits,omitempty"`

	// In the order in which they will be granted.
	Waiters []Waiter `json:"waiters"`

	// Who froze the lock, and why.
	Frozen *Remark `json:"frozen,omitempty"`

	// The end of the pause in epoch milliseconds; only while it lasts.
	DelayedUntil int64 `json:"delayedUntil,omitempty"`

	// A resource that stores the highest token can reject every token below this.
	MinValidToken int64 `json:"minValidToken"`
}

// ListedLock: One lock as the server last read it.
type ListedLock struct {
	// Its name, byte by byte.
	Name string `json:"name"`

	// unknown: its backend does not respond, or has not been read since it does again, and this is
	// the last reading; or its record cannot be read.
	State string `json:"state"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev"`

	Holders []Holder `json:"holders"`

	// The permits of a lock, as long as any are held or waited for.
	Permits *PermitUse `json:"permits,omitempty"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength"`

	// Why its record cannot be read.
	Unreadable string `json:"unreadable,omitempty"`
}

// ListAnswer: One page of the locks of a namespace.
type ListAnswer struct {
	// In the byte order of their names.
	Locks []ListedLock `json:"locks"`

	// The after of the next page; null on the last page.
	Next *string `json:"next"`

	// The age of this list.
	AgeMs int64 `json:"ageMs"`
}

// CheckAnswer: Whether a token is still valid.
type CheckAnswer struct {
	// Whether that hold is live at the time of the answer.
	Valid bool `json:"valid"`
}

// WatchAnswer: The changes of the watched locks.
type WatchAnswer struct {
	// The latest state of each lock that changed, up to 500; empty if none did. Present states by
	// prefix do not include free locks.
	Locks []ListedLock `json:"locks"`

	// The since of the next call.
	Position string `json:"position"`

	// The since of the call is not known: it is too old, or from before a restart. This and the
	// following answers contain the present states of all watched locks, until more is false.
	Reset bool `json:"reset"`

	// There are more changes already: repeat the call immediately.
	More bool `json:"more"`
}

type GrantOfSet struct {
	// The lock’s name.
	Name string `json:"name"`

	// exclusive: alone. shared: together with other shared holds. permit: together with other permit
	// holds, as long as their permits add up to no more than the lock’s capacity.
	Mode string `json:"mode"`

	// The fencing token of the hold: higher than that of every earlier grant.
	Token int64 `json:"token"`

	// The lock’s version: one more for each accepted change.
	Rev int64 `json:"rev"`

	// How often the owner has entered, and must release.
	HoldCount int64 `json:"holdCount"`

	// The end of the lease, in epoch milliseconds of the backend’s clock.
	ExpiresAt int64 `json:"expiresAt"`

	// What is left of the lease, in milliseconds, for callers whose clock differs.
	ExpiresInMs int64 `json:"expiresInMs"`

	// How long the call waited in all queues together.
	WaitedMs int64 `json:"waitedMs"`

	// Only after a wait for another hold of the same service: the traceparent of that hold, for a
	// link from the span of the wait.
	WaitedForTraceparent string `json:"waitedForTraceparent,omitempty"`
}

// SetGranted: All locks are held until their expiresAt. Keep the tokens.
type SetGranted struct {
	Outcome string `json:"outcome"`

	// The holds of all locks, sorted by name.
	Grants []GrantOfSet `json:"grants"`
}

type Block struct {
	// The lock’s name.
	Name string `json:"name"`

	// As in lock.inspect. free with a queue: other callers are before this one.
	State string `json:"state"`

	Holders []Holder `json:"holders"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength"`
}

// SetHeld: Not all locks were free, so none was granted, and waitMs was 0.
type SetHeld struct {
	Outcome string `json:"outcome"`

	// The locks that block the call now.
	BlockedBy []Block `json:"blockedBy"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs"`
}

// SetQueued: Still waiting after 25 s, or the server is shutting down: repeat the same call
// immediately. Without a request the place is kept for 2 s. Meanwhile the call holds none of the
// locks.
type SetQueued struct {
	Outcome string `json:"outcome"`

	// The lock in whose queue the call waits now, which can change.
	Name string `json:"name"`

	// Identifies the waiter in that queue.
	Ticket int64 `json:"ticket"`

	// 1 is next at that lock.
	Place int64 `json:"place"`

	// What is left of waitMs, over all requests with this id.
	PatienceLeftMs int64 `json:"patienceLeftMs"`

	// The locks that block the call now.
	BlockedBy []Block `json:"blockedBy"`
}

// SetTimeout: Not granted within waitMs; final for this requestId.
type SetTimeout struct {
	Outcome string `json:"outcome"`

	// The locks that block the call now.
	BlockedBy []Block `json:"blockedBy"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs"`
}

// SetQueueFull: The queue of that lock is full.
type SetQueueFull struct {
	Outcome string `json:"outcome"`

	// The lock’s name.
	Name string `json:"name"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs"`
}

// SetFrozen: An operator has frozen that lock, and waitMs was 0.
type SetFrozen struct {
	Outcome string `json:"outcome"`

	// The lock’s name.
	Name string `json:"name"`

	// The operator’s reason.
	Reason string `json:"reason"`
}

type EndOfSet struct {
	// The lock’s name.
	Name string `json:"name"`

	// The fencing token of the hold: higher than that of every earlier grant.
	Token int64 `json:"token"`

	// How the hold ended. forced: by an operator. superseded: not recorded, since it ended too long
	// ago or was never granted.
	Cause string `json:"cause"`
}

// SetEnded: This requestId was granted before, and some of its holds have ended.
type SetEnded struct {
	Outcome string `json:"outcome"`

	// The holds that have ended, and how.
	Ended []EndOfSet `json:"ended"`

	// The holds that are still live.
	Grants []GrantOfSet `json:"grants"`
}

// AcquireManyAnswer is one of SetGranted, SetHeld, SetQueued, SetTimeout, SetQueueFull,
// SetFrozen, SetEnded: Outcome says which, and so which fields are set.
type AcquireManyAnswer struct {
	Outcome string `json:"outcome"`

	// The holds of all locks, sorted by name.
	Grants []GrantOfSet `json:"grants,omitempty"`

	// The locks that block the call now.
	BlockedBy []Block `json:"blockedBy,omitempty"`

	// When to try again, in milliseconds from now.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`

	// The lock in whose queue the call waits now, which can change.
	Name string `json:"name,omitempty"`

	// Identifies the waiter in that queue.
	Ticket int64 `json:"ticket,omitempty"`

	// 1 is next at that lock.
	Place int64 `json:"place,omitempty"`

	// What is left of waitMs, over all requests with this id.
	PatienceLeftMs int64 `json:"patienceLeftMs,omitempty"`

	// The number of waiters.
	QueueLength int64 `json:"queueLength,omitempty"`

	// The operator’s reason.
	Reason string `json:"reason,omitempty"`

	// The holds that have ended, and how.
	Ended []EndOfSet `json:"ended,omitempty"`
}

// CounterCreated: The counter was created.
type CounterCreated struct {
	Outcome string `json:"outcome"`
}

// CounterExists: The counter existed already and was not changed.
type CounterExists struct {
	Outcome string `json:"outcome"`

	// The counter’s value.
	Value int64 `json:"value"`

	// The value never goes below it; null: no limit.
	Floor *int64 `json:"floor"`

	// The value never goes above it; null: no limit.
	Ceiling *int64 `json:"ceiling"`
}

// CounterApplied: The step was applied; value is the result.
type CounterApplied struct {
	Outcome string `json:"outcome"`

	// The counter’s value.
	Value int64 `json:"value"`

	// The counter’s version: one more for each accepted change.
	Rev int64 `json:"rev"`
}

// CounterOutOfBounds: The result would be outside the bounds. Nothing was changed.
type CounterOutOfBounds struct {
	Outcome string `json:"outcome"`

	// The counter’s value.
	Value int64 `json:"value"`

	// The value never goes below it; null: no limit.
	Floor *int64 `json:"floor"`

	// The value never goes above it; null: no limit.
	Ceiling *int64 `json:"ceiling"`

	// The gate refused the step: value and the bounds come from its Redis, not from MySQL.
	Estimate bool `json:"estimate,omitempty"`
}

// CounterCreateAnswer is one of CounterCreated, CounterExists: Outcome says which, and so which
// fields are set.
type CounterCreateAnswer struct {
	Outcome string `json:"outcome"`

	// The counter’s value.
	Value int64 `json:"value,omitempty"`

	// The value never goes below it; null: no limit.
	Floor *int64 `json:"floor,omitempty"`

	// The value never goes above it; null: no limit.
	Ceiling *int64 `json:"ceiling,omitempty"`
}

// CounterAddAnswer is one of CounterApplied, CounterOutOfBounds: Outcome says which, and so
// which fields are set.
type CounterAddAnswer struct {
	Outcome string `json:"outcome"`

	// The counter’s value.
	Value int64 `json:"value"`

	// The counter’s version: one more for each accepted change.
	Rev int64 `json:"rev,omitempty"`

	// The value never goes below it; null: no limit.
	Floor *int64 `json:"floor,omitempty"`

	// The value never goes above it; null: no limit.
	Ceiling *int64 `json:"ceiling,omitempty"`

	// The gate refused the step: value and the bounds come from its Redis, not from MySQL.
	Estimate bool `json:"estimate,omitempty"`
}

// CounterGetAnswer: The present value of the counter, and its bounds.
type CounterGetAnswer struct {
	// The counter’s value.
	Value int64 `json:"value"`

	// The value never goes below it; null: no limit.
	Floor *int64 `json:"floor"`

	// The value never goes above it; null: no limit.
	Ceiling *int64 `json:"ceiling"`

	// The counter’s version: one more for each accepted change.
	Rev int64 `json:"rev"`
}

type LockAcquireInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`

	// The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
	// hold belongs to the key’s service and this owner.
	Owner string `json:"owner"`

	// The hold ends after this time unless it is renewed: 100 ms to 24 h.
	LeaseMs int64 `json:"leaseMs"`

	// How long to wait, up to 10 min, over all requests with the same requestId, which is required
	// over 25,000. Must be 0 in a batch.
	WaitMs *int64 `json:"waitMs,omitempty"`

	// exclusive: alone. shared: together with other shared holds. permit: together with other permit
	// holds, as long as their permits add up to no more than the lock’s capacity.
	Mode string `json:"mode,omitempty"`

	// The lock stays taken for at least this long after the grant, even if it is released sooner; at
	// most leaseMs. For jobs that several machines start at about the same time, but only one should
	// run. An operator can end it.
	HoldAtLeastMs *int64 `json:"holdAtLeastMs,omitempty"`

	// Only in mode permit: how many permits to take together; 1 by default.
	Permits *int64 `json:"permits,omitempty"`

	// Required in mode permit, and only there: how many permits may be held at the same time, 1 to
	// 10,000. The first caller sets it. As long as permits are held or waited for, another capacity
	// is INVALID.
	Capacity *int64 `json:"capacity,omitempty"`

	// The same owner may enter again: it gets the same token, and must release as often as it
	// entered.
	Reentrant bool `json:"reentrant,omitempty"`

	// Texts that operators see with the hold, up to 1 KB as JSON; host, pid and version have their
	// own fields.
	Meta map[string]string `json:"meta,omitempty"`

	// Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
	// input, it gets the same answer and is not applied twice. With another input it is INVALID.
	RequestID string `json:"requestId,omitempty"`
}

type LockCancelInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`

	// The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
	// hold belongs to the key’s service and this owner.
	Owner string `json:"owner"`

	// Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
	// input, it gets the same answer and is not applied twice. With another input it is INVALID.
	RequestID string `json:"requestId"`
}

type LockOfSet struct {
	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`

	// exclusive: alone. shared: together with other shared holds.
	Mode string `json:"mode,omitempty"`
}

type LockAcquireManyInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// 2 to 20 different locks of one namespace, in any order.
	Locks []LockOfSet `json:"locks"`

	// The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
	// hold belongs to the key’s service and this owner.
	Owner string `json:"owner"`

	// The hold ends after this time unless it is renewed: 100 ms to 24 h.
	LeaseMs int64 `json:"leaseMs"`

	// How long to wait, up to 10 min, over all requests with the same requestId, which is required
	// over 25,000. Must be 0 in a batch.
	WaitMs *int64 `json:"waitMs,omitempty"`

	// The lock stays taken for at least this long after the grant, even if it is released sooner; at
	// most leaseMs. For jobs that several machines start at about the same time, but only one should
	// run. An operator can end it.
	HoldAtLeastMs *int64 `json:"holdAtLeastMs,omitempty"`

	// Texts that operators see with the hold, up to 1 KB as JSON; host, pid and version have their
	// own fields.
	Meta map[string]string `json:"meta,omitempty"`

	// Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
	// input, it gets the same answer and is not applied twice. With another input it is INVALID.
	RequestID string `json:"requestId,omitempty"`
}

type LockCancelManyInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// Exactly the names of the lock.acquireMany, in any order.
	Names []string `json:"names"`

	// The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
	// hold belongs to the key’s service and this owner.
	Owner string `json:"owner"`

	// Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
	// input, it gets the same answer and is not applied twice. With another input it is INVALID.
	RequestID string `json:"requestId"`
}

type LockRenewInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`

	// The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
	// hold belongs to the key’s service and this owner.
	Owner string `json:"owner"`

	// The fencing token of the grant: a positive integer below 2^53.
	Token int64 `json:"token"`

	// The hold ends after this time unless it is renewed: 100 ms to 24 h.
	LeaseMs int64 `json:"leaseMs"`
}

type LockReleaseInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`

	// The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as orders-7f9c:worker-3. A
	// hold belongs to the key’s service and this owner.
	Owner string `json:"owner"`

	// The fencing token of the grant: a positive integer below 2^53.
	Token int64 `json:"token"`

	// Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
	// input, it gets the same answer and is not applied twice. With another input it is INVALID.
	RequestID string `json:"requestId,omitempty"`
}

type LockWatchInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The locks to watch, up to 1000; or give a prefix.
	Names []string `json:"names,omitempty"`

	// Watches all locks of the namespace whose names begin with this, compared byte by byte; empty:
	// all.
	Prefix string `json:"prefix,omitempty"`

	// The position of the last answer for the same locks: the answer contains what changed since.
	// Without it, the answer contains the present states.
	Since string `json:"since,omitempty"`

	// How long to wait for a change, up to 25 s. 0 in a batch. An event stream ignores it.
	WaitMs *int64 `json:"waitMs,omitempty"`
}

type CounterCreateInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the
	// same name is independent of it.
	Name string `json:"name"`

	// The initial value, which must be within the bounds.
	Initial *int64 `json:"initial,omitempty"`

	// The value never goes below it. Default: no limit.
	Floor *int64 `json:"floor,omitempty"`

	// The value never goes above it. Default: no limit.
	Ceiling *int64 `json:"ceiling,omitempty"`
}

type CounterAddInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the
	// same name is independent of it.
	Name string `json:"name"`

	// A whole number between −2^53 and 2^53, applied entirely or not at all.
	Delta int64 `json:"delta"`

	// Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same id and
	// input, it gets the same answer and is not applied twice. With another input it is INVALID.
	RequestID string `json:"requestId,omitempty"`

	// True: no request with this requestId was ever sent before. Only then may a gate refuse a step
	// that has a requestId; it may refuse any step without one.
	FirstAttempt bool `json:"firstAttempt,omitempty"`
}

type LockInspectInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`
}

type LockListInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// Only names that begin with this, compared byte by byte; empty: all.
	Prefix string `json:"prefix,omitempty"`

	// Only names after this one: the next of the page before.
	After string `json:"after,omitempty"`

	// Only locks that are not free, or have waiters.
	Busy bool `json:"busy,omitempty"`

	// The most per page.
	Limit *int64 `json:"limit,omitempty"`
}

type LockCheckInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. job, JOB and job
	// are three locks.
	Name string `json:"name"`

	// The fencing token of the grant: a positive integer below 2^53.
	Token int64 `json:"token"`
}

type CounterGetInput struct {
	// A group of locks with a policy. An API key is valid only for the namespaces that it was
	// created for.
	Namespace string `json:"namespace,omitempty"`

	// The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the
	// same name is independent of it.
	Name string `json:"name"`
}

// Acquire is lock.acquire: acquire a lock.
func (c *Client) Acquire(
	ctx context.Context, ask LockAcquireInput,
) (answer AcquireAnswer, err error) {
	err = c.call(ctx, "lock.acquire", "mutation", ask, &answer)
	return answer, err
}

// Cancel is lock.cancel: cancel an acquire.
func (c *Client) Cancel(ctx context.Context, ask LockCancelInput) (answer CancelAnswer, err error) {
	err = c.call(ctx, "lock.cancel", "mutation", ask, &answer)
	return answer, err
}

// AcquireMany is lock.acquireMany: acquire several locks together.
func (c *Client) AcquireMany(
	ctx context.Context, ask LockAcquireManyInput,
) (answer AcquireManyAnswer, err error) {
	err = c.call(ctx, "lock.acquireMany", "mutation", ask, &answer)
	return answer, err
}

// CancelMany is lock.cancelMany: cancel an acquire of several locks.
func (c *Client) CancelMany(
	ctx context.Context, ask LockCancelManyInput,
) (answer CancelAnswer, err error) {
	err = c.call(ctx, "lock.cancelMany", "mutation", ask, &answer)
	return answer, err
}

// Renew is lock.renew: renew a lock.
func (c *Client) Renew(ctx context.Context, ask LockRenewInput) (answer RenewAnswer, err error) {
	err = c.call(ctx, "lock.renew", "mutation", ask, &answer)
	return answer, err
}

// Release is lock.release: release a lock.
func (c *Client) Release(
	ctx context.Context, ask LockReleaseInput,
) (answer ReleaseAnswer, err error) {
	err = c.call(ctx, "lock.release", "mutation", ask, &answer)
	return answer, err
}

// Inspect is lock.inspect: inspect a lock.
func (c *Client) Inspect(
	ctx context.Context, ask LockInspectInput,
) (answer InspectAnswer, err error) {
	err = c.call(ctx, "lock.inspect", "query", ask, &answer)
	return answer, err
}

// List is lock.list: list locks.
func (c *Client) List(ctx context.Context, ask LockListInput) (answer ListAnswer, err error) {
	err = c.call(ctx, "lock.list", "query", ask, &answer)
	return answer, err
}

// Watch is lock.watch: watch locks.
func (c *Client) Watch(ctx context.Context, ask LockWatchInput) (answer WatchAnswer, err error) {
	err = c.call(ctx, "lock.watch", "mutation", ask, &answer)
	return answer, err
}

// Check is lock.check: check a token.
func (c *Client) Check(ctx context.Context, ask LockCheckInput) (answer CheckAnswer, err error) {
	err = c.call(ctx, "lock.check", "query", ask, &answer)
	return answer, err
}

// CreateCounter is counter.create: create a counter.
func (c *Client) CreateCounter(
	ctx context.Context, ask CounterCreateInput,
) (answer CounterCreateAnswer, err error) {
	err = c.call(ctx, "counter.create", "mutation", ask, &answer)
	return answer, err
}

// AddToCounter is counter.add: add to a counter.
func (c *Client) AddToCounter(
	ctx context.Context, ask CounterAddInput,
) (answer CounterAddAnswer, err error) {
	err = c.call(ctx, "counter.add", "mutation", ask, &answer)
	return answer, err
}

// GetCounter is counter.get: read a counter.
func (c *Client) GetCounter(
	ctx context.Context, ask CounterGetInput,
) (answer CounterGetAnswer, err error) {
	err = c.call(ctx, "counter.get", "query", ask, &answer)
	return answer, err
}

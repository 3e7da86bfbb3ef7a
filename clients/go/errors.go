package lockyard

import "fmt"

// Error is a call that was refused, or got no answer. ReasonBackendDown, ReasonContended and
// ReasonNamespaceFull: it was not applied. ReasonUnknown: it may have been applied; repeat it with
// the same request id to find out.
type Error struct {
	Reason  string
	Message string
	// RetryAfterMs is the delay after which a retry may succeed; 0 if the server named none.
	RetryAfterMs int64
	// RequestID is the server's own id of the request: quote it when asking an operator.
	RequestID string
	// Capacity is the lock's current capacity, if the acquire did not fit it; otherwise 0.
	Capacity int64
	// Detail says what is wrong with the API key, such as keyExpired or missingVerb.
	Detail string
	// WaitMaxMs is the longest wait that the namespace allows, if a longer one was requested.
	WaitMaxMs int64
	// IsUnreachable: no connection could be made to the server, or to any of several.
	IsUnreachable bool
	// IsForeign: the answer is not of a Lockyard, but of something else, such as a proxy.
	IsForeign bool
	isFinal   bool
	cause     error
}

func (e *Error) Error() string { return e.Reason + ": " + e.Message }

func (e *Error) Unwrap() error { return e.cause }

// IsTransient says whether the same call may succeed a moment later.
func (e *Error) IsTransient() bool {
	switch e.Reason {
	case ReasonBackendDown, ReasonUnknown, ReasonContended, ReasonRateLimited, ReasonNamespaceFull:
		return !e.isFinal
	}
	return false
}

// isRetryable says whether a call may succeed a moment later at an address at which Lockyard has
// answered: also after a fault that may affect only one answer, or an answer of something else,
// such as the 404 of a proxy while a server is replaced.
func (e *Error) isRetryable() bool {
	return e.IsTransient() || e.IsForeign || e.Reason == ReasonInternal
}

// isServerFailure says whether another server may succeed.
func (e *Error) isServerFailure() bool {
	isDown := e.Reason == ReasonBackendDown || e.Reason == ReasonUnknown
	return isDown || e.IsForeign && !e.IsTransient()
}

func invalid(format string, values ...any) *Error {
	return &Error{Reason: ReasonInvalid, Message: fmt.Sprintf(format, values...)}
}

// LockTimeout: the lock was not granted in time. Nothing is held, and no place in the queue is
// kept.
type LockTimeout struct {
	Lock   string
	WaitMs int64
	// Holders are the holders according to the last answer.
	Holders []Holder
	// QueueLength is how many callers waited for the lock then; 0 also if the last answer did not
	// say, as for a frozen lock.
	QueueLength int64
	// Frozen is why an operator has frozen the lock; empty if it is not frozen.
	Frozen string
}

func (e *LockTimeout) Error() string {
	obstacle := ""
	if e.Frozen != "" {
		obstacle = "; it is frozen: " + e.Frozen
	} else if len(e.Holders) > 0 {
		obstacle = fmt.Sprintf("; %s %s", e.Holders[0].Owner, holdsIt(e.Holders[0]))
	}
	return fmt.Sprintf("%q was not granted within %d ms%s", e.Lock, e.WaitMs, obstacle)
}

func holdsIt(holder Holder) string {
	if holder.ReleasedAt == 0 {
		return "holds it"
	}
	return fmt.Sprintf("released it, and it stays held for another %d ms", holder.ExpiresInMs)
}

// LossCauseUnrenewed is the cause of a loss that only this client knows of: no renewal was
// answered in time, so the lease may have expired.
const LossCauseUnrenewed = "unrenewed"

// LockLost: the hold ended before the work did. Another holder may have had the lock since, so
// writes whose token was not checked may conflict with that holder's. It wraps the work's own
// error; or the last failure of a renewal, if none has succeeded since.
type LockLost struct {
	Lock  string
	Token int64
	// Cause is expired, released, forced, superseded or unrenewed.
	Cause string
	// At is when the hold had certainly ended, in epoch milliseconds of the backend's clock; 0 if
	// only this client considers it lost.
	At int64
	// By is the operator who force-released it, with Reason.
	By     string
	Reason string
	cause  error
}

func (e *LockLost) Error() string {
	why := map[string]string{
		"expired":          "its lease expired",
		"released":         "it was released",
		"forced":           "force-released",
		"superseded":       "the server has no record of this hold",
		LossCauseUnrenewed: "no renewal succeeded in time",
	}[e.Cause]
	if e.By != "" {
		why += " by " + e.By
	}
	if e.Reason != "" {
		why += " (" + e.Reason + ")"
	}
	return fmt.Sprintf("lost the lock %q (token %d): %s", e.Lock, e.Token, why)
}

func (e *LockLost) Unwrap() error { return e.cause }

// ReleaseUnconfirmed: the work is done, under a valid hold, but its release was not confirmed. The
// lock may stay held until its lease ends. Do not repeat the work because of this error.
type ReleaseUnconfirmed struct {
	Lock  string
	Token int64
	cause error
}

func (e *ReleaseUnconfirmed) Error() string {
	return fmt.Sprintf("the work under %q is done, but its release was not confirmed", e.Lock)
}

func (e *ReleaseUnconfirmed) Unwrap() error { return e.cause }

// LockUpgradeRefused: work under a hold requested more of the same lock, and would wait for that
// hold itself.
type LockUpgradeRefused struct {
	Lock   string
	Token  int64
	Held   string
	Wanted string
}

func (e *LockUpgradeRefused) Error() string {
	format := "%q is held in mode %s by the calling work (token %d); %s waits for it"
	return fmt.Sprintf(format, e.Lock, e.Held, e.Token, e.Wanted)
}

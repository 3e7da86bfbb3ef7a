package lockyard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// So that a hold that is about to end does not send one renewal after another.
const renewAfterMin = 100 * time.Millisecond

// Hold is a granted lock, as the work under it receives it. It is renewed every third of its
// lease.
type Hold struct {
	Namespace string
	Name      string
	// Token is the fencing token: send it with every write to a resource that can refuse a stale one.
	Token int64
	// WaitedMs is how long the call waited for the grant.
	WaitedMs int64
	// WaitedForTraceparent is the traceparent of the hold that it waited for, if it is of the same
	// service; empty if unknown.
	WaitedForTraceparent string

	client  *Client
	ask     LockAcquireInput
	lease   time.Duration
	mutex   sync.Mutex
	loss    *LockLost
	isOver  bool
	asked   *Remark
	stopped *Remark
	// The end of the lease, in epoch milliseconds of the backend's clock.
	expiresAt   int64
	provenUntil time.Time
	renewAt     time.Time
	// When the last answered renewal was sent.
	renewedSince time.Time
	lastFailure  error
	followers    map[*follower]struct{}
	// Ends the renewals.
	renewing context.Context
	end      context.CancelFunc
}

// follower is work under the hold.
type follower struct {
	cancel  context.CancelFunc
	options LockOptions
}

func newHold(c *Client, ask LockAcquireInput, granted *grant) *Hold {
	renewing, end := context.WithCancel(context.Background())
	hold := &Hold{
		Namespace: ask.Namespace, Name: ask.Name, Token: granted.token, WaitedMs: granted.waitedMs,
		WaitedForTraceparent: granted.waitedForTraceparent,
		client:               c, ask: ask, lease: ms(ask.LeaseMs), expiresAt: granted.expiresAt,
		provenUntil: granted.provenUntil(), followers: map[*follower]struct{}{},
		renewing: renewing, end: end,
	}
	hold.renewAt = granted.sentAt.Add(hold.renewAfter(granted.expiresInMs))
	return hold
}

// Remaining is how much of the lease is certainly left: counted on a monotonic clock from before
// the request was sent, less an allowance for drift. 0 once the hold is lost or the work has
// ended.
func (h *Hold) Remaining() time.Duration {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.remaining()
}

func (h *Hold) remaining() time.Duration {
	if h.isOver || h.loss != nil {
		return 0
	}
	return most(0, time.Until(h.provenUntil))
}

// Check returns *LockLost unless the lease is certainly valid: call it right before each step of
// the work.
func (h *Hold) Check() error {
	if loss := h.checkLost(); loss != nil {
		return loss
	}
	// Not by Remaining: the lease may run out at this moment, and the work has not ended then.
	if h.hasEnded() {
		return h.endedLoss()
	}
	return nil
}

// ExpiresAt is the end of the lease in the last answer, in epoch milliseconds of the backend's
// clock.
func (h *Hold) ExpiresAt() int64 {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.expiresAt
}

// AskedToRelease is the remark of an operator who asks for the lock, or has stopped its renewals:
// the work should finish soon. Nil if there is none.
func (h *Hold) AskedToRelease() *Remark {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.asked != nil {
		return h.asked
	}
	return h.stopped
}

// RenewalsStopped is the operator's remark once renewals no longer extend this hold, which ends at
// ExpiresAt; nil before.
func (h *Hold) RenewalsStopped() *Remark {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.stopped
}

// checkLost reads the clock, since timers may be late.
func (h *Hold) checkLost() *LockLost {
	h.mutex.Lock()
	isUnrenewed := !h.isOver && h.loss == nil && h.remaining() == 0
	failure := h.lastFailure
	h.mutex.Unlock()
	if isUnrenewed {
		h.lose(&LockLost{Cause: LossCauseUnrenewed, cause: failure})
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.loss
}

func (h *Hold) endedLoss() *LockLost {
	return &LockLost{Lock: h.Name, Token: h.Token, Cause: "released"}
}

func (h *Hold) lose(loss *LockLost) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.loss != nil {
		return
	}
	loss.Lock, loss.Token = h.Name, h.Token
	h.loss = loss
	h.end()
	for each := range h.followers {
		each.cancel()
	}
}

// follow cancels the follower when the hold is lost, and passes on messages of operators, until
// callOff is called.
func (h *Hold) follow(each *follower) (callOff func()) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.followers[each] = struct{}{}
	if h.loss != nil {
		each.cancel()
	}
	notify(each.options.OnAskedToRelease, h.asked)
	notify(each.options.OnRenewalsStopped, h.stopped)
	return func() {
		h.mutex.Lock()
		defer h.mutex.Unlock()
		delete(h.followers, each)
	}
}

// finish ends the renewals with the work. A hold that expired unnoticed counts as lost.
func (h *Hold) finish() {
	h.checkLost()
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.isOver = true
	h.end()
	for each := range h.followers {
		each.cancel()
	}
}

// release releases the hold once, if there is anything to release, and returns the failure if
// there was no answer. An answer that it was lost is stored.
func (h *Hold) release() error {
	h.mutex.Lock()
	loss, until := h.loss, h.provenUntil
	h.mutex.Unlock()
	end := time.Now().Add(retryBudget)
	if loss != nil {
		if loss.Cause != LossCauseUnrenewed {
			return nil
		}
		end = time.Now().Add(tidyUp)
		until = end
	}
	if end.Before(until) {
		until = end
	}
	ask := request{procedure: "lock.release", kind: "mutation"}
	fields := map[string]any{
		"namespace": h.ask.Namespace, "name": h.Name, "owner": h.ask.Owner, "token": h.Token,
		"requestId": newRequestID(),
	}
	ctx := context.Background()
	var answer ReleaseAnswer
	limit := func() time.Time { return until }
	err := retryingAfter((*Error).isRetryable, ctx, limit, func() error {
		ask.timeout = least(answerWithin, time.Until(end))
		return h.client.send(ctx, ask, fields, &answer)
	})
	if err == nil && answer.Outcome == "lost" {
		h.lose(&LockLost{Cause: answer.Cause, At: answer.At, By: answer.By, Reason: answer.Reason})
	}
	return err
}

func (h *Hold) keepRenewing() {
	for failures := 0; ; {
		h.mutex.Lock()
		delay := least(time.Until(h.renewAt), time.Until(h.provenUntil))
		h.mutex.Unlock()
		if pause(h.renewing, most(0, delay)) != nil || h.checkLost() != nil {
			return
		}
		err := h.renew()
		if err == nil {
			failures = 0
			continue
		}
		var failure *Error
		errors.As(err, &failure)
		retryAfterMs := int64(0)
		if failure != nil {
			retryAfterMs = failure.RetryAfterMs
		}
		// While the lease lasts, any failure may pass: retry, sooner for a short lease.
		again := least(retryDelay(failures, retryAfterMs), h.lease/6)
		failures++
		h.mutex.Lock()
		h.lastFailure, h.renewAt = err, time.Now().Add(again)
		h.mutex.Unlock()
	}
}

// renew is one attempt. It returns before its answer if that takes a third of the lease: a short
// lease would nearly have expired by then, so the next attempt starts while this one is open. That
// may be answered after the present end of the lease, which another answer may move.
func (h *Hold) renew() error {
	h.mutex.Lock()
	limit := least(h.lease/3, time.Until(h.provenUntil))
	h.mutex.Unlock()
	answered := make(chan error, 1)
	go func() { answered <- h.askToRenew() }()
	overdue := time.NewTimer(limit)
	defer overdue.Stop()
	select {
	case err := <-answered:
		return err
	case <-overdue.C:
		h.client.doubtConnections()
		return &Error{Reason: ReasonUnknown, Message: fmt.Sprintf("No answer within %v.", limit)}
	}
}

func (h *Hold) askToRenew() error {
	sentAt := time.Now()
	ask := request{procedure: "lock.renew", kind: "mutation", timeout: renewalTimeout(h.lease)}
	fields := map[string]any{
		"namespace": h.ask.Namespace, "name": h.Name, "owner": h.ask.Owner, "token": h.Token,
		"leaseMs": h.ask.LeaseMs,
	}
	var answer RenewAnswer
	if err := h.client.send(h.renewing, ask, fields, &answer); err != nil {
		return err
	}
	if h.hasEnded() {
		// It has been released meanwhile, which is no loss.
		return nil
	}
	switch answer.Outcome {
	case "renewed":
		h.prolong(sentAt, answer)
	case "lost":
		h.lose(&LockLost{Cause: answer.Cause, At: answer.At, By: answer.By, Reason: answer.Reason})
	default:
		// Released by another call with this hold's owner and token.
		h.lose(&LockLost{Cause: "released"})
	}
	return nil
}

func (h *Hold) prolong(sentAt time.Time, answer RenewAnswer) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	// Of two concurrent attempts the later one may be answered first.
	if h.loss != nil || h.isOver || sentAt.Before(h.renewedSince) {
		return
	}
	h.renewedSince, h.lastFailure = sentAt, nil
	h.expiresAt = answer.ExpiresAt
	proven := provenLeaseEnd(sentAt, answer.ExpiresInMs)
	// A renewal never shortens a lease: a slow answer must not make less of it certain than before.
	if proven.After(h.provenUntil) || answer.RenewalsStopped != nil {
		h.provenUntil = proven
	}
	h.renewAt = sentAt.Add(h.renewAfter(answer.ExpiresInMs))
	for each := range h.followers {
		if h.asked == nil {
			notify(each.options.OnAskedToRelease, answer.AskedToRelease)
		}
		if h.stopped == nil {
			notify(each.options.OnRenewalsStopped, answer.RenewalsStopped)
		}
	}
	if h.asked == nil {
		h.asked = answer.AskedToRelease
	}
	if h.stopped == nil {
		h.stopped = answer.RenewalsStopped
	}
}

// notify does not wait for the listener, which may call the hold.
func notify(listener func(Remark), remark *Remark) {
	if listener != nil && remark != nil {
		go listener(*remark)
	}
}

// renewAfter is a third of the lease, or of what is left if less: after renewals were stopped, or
// where the namespace has come to allow only a shorter lease.
func (h *Hold) renewAfter(expiresInMs int64) time.Duration {
	return most(least(h.lease, ms(expiresInMs))/3, least(h.lease/30, renewAfterMin))
}

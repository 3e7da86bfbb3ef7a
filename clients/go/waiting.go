package lockyard

import (
	"context"
	"errors"
	"math"
	"time"
)

const (
	resendWithin = 10 * time.Minute
	// The server limits a wait to 10 minutes; an endless one is split into shorter parts.
	waitPart = 9 * time.Minute
	// Shorter parts would be little more than polling.
	shortestPart  = time.Second
	frozenAttempt = 10
)

// grant is a grant, with what proves until when it is valid.
type grant struct {
	token     int64
	waitedMs  int64
	expiresAt int64
	// By our clock, before the answered request was sent: the lease cannot have started earlier.
	sentAt      time.Time
	expiresInMs int64
	// The trace of the hold that it waited for; empty if unknown.
	waitedForTraceparent string
}

func (g *grant) provenUntil() time.Time { return provenLeaseEnd(g.sentAt, g.expiresInMs) }

// provenLeaseEnd is until when, on our clock, the lease in the answer certainly lasts.
func provenLeaseEnd(sentAt time.Time, expiresInMs int64) time.Time {
	lease := ms(expiresInMs)
	return sentAt.Add(lease - drift(lease))
}

// awaitGrant waits once; an endless wait is split into parts, each starting at the end of the
// queue.
func awaitGrant(
	ctx context.Context, c *Client, ask LockAcquireInput, patience time.Duration,
) (*grant, error) {
	if patience != Forever {
		return newGrantWait(c, ask, patience).run(ctx)
	}
	for part := waitPart; ; {
		granted, err := newGrantWait(c, ask, part).run(ctx)
		var timeout *LockTimeout
		var failure *Error
		if errors.As(err, &failure) && ctx.Err() == nil {
			if allowed := ms(failure.WaitMaxMs); allowed >= shortestPart && allowed < part {
				part = allowed
				continue
			}
		}
		// ReasonUnknown is final where the same id may not be sent again; the next part has another.
		mayPass := errors.As(err, &timeout) ||
			errors.As(err, &failure) && (failure.IsTransient() || failure.Reason == ReasonUnknown)
		if err == nil || ctx.Err() != nil || !mayPass {
			return granted, err
		}
		// A part may be shorter than this, and would otherwise be asked for again at once.
		if failure != nil {
			if stopped := pause(ctx, ms(failure.RetryAfterMs)); stopped != nil {
				return nil, stopped
			}
		}
	}
}

// grantWait is one wait, over as many requests as it takes, all with one request id.
type grantWait struct {
	client     *Client
	ask        LockAcquireInput
	patience   time.Duration
	startedAt  time.Time
	answeredAt time.Time
	// The server may know the current id: there may be a queue position or a grant to release.
	mayBeKnown bool
	// The server may know the wait asked for with it: each later request must have the same. Before
	// that, each asks for what is left.
	isWaitKnown bool
	isConnected bool
}

func newGrantWait(c *Client, ask LockAcquireInput, patience time.Duration) *grantWait {
	now := time.Now()
	ask.WaitMs = Int64(patience.Milliseconds())
	ask.RequestID = newRequestID()
	return &grantWait{client: c, ask: ask, patience: patience, startedAt: now, answeredAt: now}
}

// run leaves the queue before it fails, or releases a grant whose answer was lost.
func (w *grantWait) run(ctx context.Context) (*grant, error) {
	granted, err := w.untilGranted(ctx)
	if err != nil && w.mayBeKnown {
		if w.isSilenced(err) {
			go w.cancel()
		} else {
			w.cancel()
		}
	}
	return granted, err
}

func (w *grantWait) untilGranted(ctx context.Context) (*grant, error) {
	for {
		var answer AcquireAnswer
		var sentAt time.Time
		err := retrying(ctx, w.until, func() (err error) {
			answer, sentAt, err = w.send(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		if answer.Outcome == "granted" {
			if granted, err := w.prove(ctx, answer, sentAt); granted != nil || err != nil {
				return granted, err
			}
		}
		w.mayBeKnown = answer.Outcome == "queued"
		if answer.Outcome == "held" || answer.Outcome == "timeout" || w.patienceLeft() <= 0 {
			return nil, w.timeout(answer)
		}
		if err := w.beforeAskingAgain(ctx, answer, sentAt); err != nil {
			return nil, err
		}
	}
}

// send sends the acquire with the current id.
func (w *grantWait) send(ctx context.Context) (answer AcquireAnswer, now time.Time, err error) {
	now = time.Now()
	if now.Sub(w.answeredAt) > resendWithin {
		message := "No answer for 10 minutes; a retry is no longer safe."
		return answer, now, &Error{Reason: ReasonUnknown, Message: message, isFinal: true}
	}
	if err := ctx.Err(); err != nil {
		return answer, now, err
	}
	wasUnsure := w.mayBeKnown
	// Negative for a short wait that continues because of failures, so that it ends in time.
	left := least(w.startedAt.Add(w.patience).Sub(now), heldOpen)
	ask := request{procedure: "lock.acquire", kind: "mutation", timeout: left + answerWithin}
	if !w.isConnected && w.patience < connectWithin {
		share := connectWithin / time.Duration(len(w.client.addresses.all))
		connect := least(w.startedAt.Add(connectWithin).Sub(now), share)
		ask.connectWithin = most(connect, time.Millisecond)
	}
	if w.ask.WaitMs == nil {
		rest := (w.patienceLeft() + time.Millisecond - 1).Milliseconds()
		w.ask.WaitMs = &rest
	}
	fields, err := w.client.completed(ask.procedure, w.ask)
	if err != nil {
		return answer, now, err
	}
	w.mayBeKnown = true
	err = w.client.send(ctx, ask, fields, &answer)
	var failure *Error
	if errors.As(err, &failure) {
		w.isConnected = w.isConnected || !failure.IsUnreachable
		isUnsure := failure.Reason == ReasonUnknown || failure.Reason == ReasonInternal
		if !isUnsure {
			w.mayBeKnown = wasUnsure
		}
		w.keepWait(isUnsure)
	} else if err == nil {
		w.isConnected, w.answeredAt = true, time.Now()
		w.keepWait(answer.Outcome == "queued")
	}
	return answer, now, err
}

// keepWait is called after each request: the next one asks for what is left, unless it may not.
func (w *grantWait) keepWait(mayBeKnown bool) {
	w.isWaitKnown = w.isWaitKnown || mayBeKnown
	if !w.isWaitKnown {
		w.ask.WaitMs = nil
	}
}

// until is when retries end: even a wait shorter than one attempt is retried for a while.
func (w *grantWait) until() time.Time {
	budget := connectWithin
	if w.isConnected {
		budget = connectedBudget
	}
	return w.startedAt.Add(most(w.patience, budget))
}

// prove is a grant that is certainly valid. Its lease is counted from before the request, so the
// wait may have used up most of it: then a renewal restarts it. Nil: the hold ended before any
// work began.
func (w *grantWait) prove(
	ctx context.Context, answer AcquireAnswer, sentAt time.Time,
) (*grant, error) {
	granted := &grant{
		answer.Token, answer.WaitedMs, answer.ExpiresAt, sentAt, answer.ExpiresInMs,
		answer.WaitedForTraceparent,
	}
	now := time.Now()
	if granted.provenUntil().Sub(now) >= ms(w.ask.LeaseMs)/2 {
		return granted, nil
	}
	until := func() time.Time { return now.Add(retryBudget) }
	ask := request{
		procedure: "lock.renew", kind: "mutation", timeout: renewalTimeout(ms(w.ask.LeaseMs)),
	}
	fields := map[string]any{
		"namespace": w.ask.Namespace, "name": w.ask.Name, "owner": w.ask.Owner,
		"token": granted.token, "leaseMs": w.ask.LeaseMs,
	}
	var answered RenewAnswer
	err := retryingAfter((*Error).isRetryable, ctx, until, func() error {
		granted.sentAt = time.Now()
		err := w.client.send(ctx, ask, fields, &answered)
		if err != nil || answered.Outcome != "renewed" {
			return err
		}
		granted.expiresAt, granted.expiresInMs = answered.ExpiresAt, answered.ExpiresInMs
		if time.Now().Before(granted.provenUntil()) {
			return nil
		}
		message := "The lease may have expired: its renewal was answered late."
		return &Error{Reason: ReasonUnknown, Message: message}
	})
	if err != nil || answered.Outcome != "renewed" {
		return nil, err
	}
	return granted, nil
}

func (w *grantWait) beforeAskingAgain(
	ctx context.Context, answer AcquireAnswer, sentAt time.Time,
) error {
	switch {
	case answer.Outcome == "queueFull":
		return pause(ctx, least(retryDelay(0, answer.RetryAfterMs), w.patienceLeft()))
	case answer.Outcome == "frozen":
		return pause(ctx, least(retryDelay(frozenAttempt, 0), w.patienceLeft()))
	case answer.Outcome != "queued":
		w.ask.RequestID, w.answeredAt = newRequestID(), time.Now()
		w.ask.WaitMs, w.isWaitKnown = nil, false
	case time.Since(sentAt) < atOnce:
		return pause(ctx, retryDelay(1, 0))
	}
	return nil
}

func (w *grantWait) patienceLeft() time.Duration {
	return most(0, w.patience-time.Since(w.startedAt))
}

// isSilenced: if no server responds, a cancel will hardly be answered, and is not worth a delay.
func (w *grantWait) isSilenced(err error) bool {
	var failure *Error
	if !errors.As(err, &failure) {
		return false
	}
	return failure.IsUnreachable || w.patience < connectedBudget && failure.Reason == ReasonUnknown
}

// cancel releases any grant of the current request id. If that fails, its lease expires.
func (w *grantWait) cancel() {
	until := time.Now().Add(tidyUp)
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	ask := request{procedure: "lock.cancel", kind: "mutation", timeout: tidyUp}
	fields := map[string]any{
		"namespace": w.ask.Namespace, "name": w.ask.Name, "owner": w.ask.Owner,
		"requestId": w.ask.RequestID,
	}
	limit := func() time.Time { return until }
	// The error that led here is more informative than one of the cancel.
	_ = retryingAfter((*Error).isRetryable, ctx, limit, func() error {
		return w.client.send(ctx, ask, fields, &CancelAnswer{})
	})
}

func (w *grantWait) timeout(answer AcquireAnswer) *LockTimeout {
	timeout := &LockTimeout{
		Lock: w.ask.Name, WaitMs: w.patience.Milliseconds(),
		Holders: answer.Holders, QueueLength: answer.QueueLength,
	}
	if answer.Outcome == "frozen" {
		timeout.Frozen = answer.Reason
	}
	return timeout
}

func least(one, other time.Duration) time.Duration {
	return time.Duration(math.Min(float64(one), float64(other)))
}

func most(one, other time.Duration) time.Duration {
	return time.Duration(math.Max(float64(one), float64(other)))
}

package lockyard

import (
	"context"
	"errors"
	"math"
	"time"
)

const (
	// NoWait does not wait: the lock is granted immediately, or not at all.
	NoWait time.Duration = -1
	// Forever waits without limit: every 9 minutes it moves to the end of the queue.
	Forever time.Duration = math.MaxInt64
)

// LockOptions are the options of WithLock; the zero value is an exclusive lock with a lease of
// 30 s and a wait of at most a minute.
type LockOptions struct {
	Namespace string
	Owner     string
	// Lease is how long the lock stays held after this process dies: 100 ms to 24 h. Default: 30 s,
	// or HoldAtLeast if that is more.
	Lease time.Duration
	// Wait is the timeout of the whole wait: NoWait, up to 10 minutes, or Forever. Default: 1 minute.
	// Any other negative wait is refused.
	Wait time.Duration
	// HoldAtLeast is how long the lock stays held after the grant at least, even if the work ends
	// sooner.
	HoldAtLeast time.Duration
	// Mode is exclusive, shared, or permit with Permits of a Capacity. Default: exclusive.
	Mode     string
	Permits  int64
	Capacity int64
	// Reentrant re-enters the lock if this owner already holds it in the same mode.
	Reentrant bool
	// OwnHold acquires a separate hold even within work under this lock.
	OwnHold bool
	// Meta is shown to operators with the hold, in addition to host, pid and version.
	Meta map[string]string
	// Traceparent is the W3C header of the span to which the hold belongs; ignored if not valid.
	Traceparent string
	// Each is called once, in a separate goroutine, when a renewal reports it.
	OnAskedToRelease  func(Remark)
	OnRenewalsStopped func(Remark)
}

// WithLock runs work while holding the lock: waits for it, renews it every third of its lease, and
// always releases it. The work's context ends as soon as the hold is lost, or with ctx. WithLock
// returns after the work has.
//
// Within the work, WithLock of the same lock by the same client with that context runs under this
// hold immediately, without a request, unless OwnHold is set.
//
// It returns, besides what the work returned, and ctx.Err() if ctx ends before the work begins,
// which then never runs:
//   - *LockTimeout: not granted in time; the work never ran;
//   - *LockLost: the hold ended before the work did; it wraps an error of the work;
//   - *ReleaseUnconfirmed: the work is done, under a valid hold, but its release was not answered;
//   - *LockUpgradeRefused: within work whose hold grants less of the same lock;
//   - *Error: refused, or no answer in time; the work never ran.
//
// What no lock can guarantee: a paused process may still write after its lease has expired, before
// it can notice. Only the guarded resource can refuse that write, by Hold.Token. Hold.Check right
// before a write narrows the gap, but never closes it.
func (c *Client) WithLock(
	ctx context.Context, name string, options LockOptions, work func(context.Context, *Hold) error,
) error {
	if work == nil {
		return invalid("The work of WithLock is nil.")
	}
	if options.Wait < 0 && options.Wait != NoWait {
		return invalid("Wait is negative: it must be NoWait, up to 10 minutes, or Forever.")
	}
	ask := c.acquireInput(name, options)
	if !options.OwnHold {
		outer, err := c.outerHold(ctx, ask, options.Owner != "")
		if err != nil {
			return err
		}
		if outer != nil {
			return workWithin(ctx, outer, options, work)
		}
	}
	traced := context.WithValue(ctx, traceKey{}, options.Traceparent)
	granted, err := awaitGrant(traced, c, ask, patienceOf(options))
	if err != nil {
		return err
	}
	return c.workUnder(ctx, newHold(c, ask, granted), options, work)
}

func (c *Client) workUnder(
	ctx context.Context, hold *Hold, options LockOptions, work func(context.Context, *Hold) error,
) (err error) {
	during, cancel := context.WithCancel(context.WithValue(ctx, holdKey{}, &scope{hold, ctx}))
	hold.follow(&follower{cancel, options})
	// Also if the work panics: the panic continues after the release.
	defer func() {
		cancel()
		hold.finish()
		failure := hold.release()
		if loss := hold.checkLost(); loss != nil {
			err = lossCausedBy(ctx, loss, err)
		} else if err == nil && failure != nil {
			err = &ReleaseUnconfirmed{Lock: hold.Name, Token: hold.Token, cause: failure}
		}
	}()
	if loss := hold.checkLost(); loss != nil {
		return loss
	}
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	go hold.keepRenewing()
	return work(during, hold)
}

// workWithin runs work under the hold of an outer call, without any request.
func workWithin(
	ctx context.Context, hold *Hold, options LockOptions, work func(context.Context, *Hold) error,
) error {
	if ended := ctx.Err(); ended != nil {
		// The end of the hold, which ends it too, takes precedence.
		if loss := hold.Check(); loss != nil {
			return loss
		}
		return ended
	}
	during, cancel := context.WithCancel(ctx)
	defer cancel()
	defer hold.follow(&follower{cancel, options})()
	err := work(during, hold)
	if loss := hold.checkLost(); loss != nil {
		return lossCausedBy(ctx, loss, err)
	}
	if hold.hasEnded() {
		return lossCausedBy(ctx, hold.endedLoss(), err)
	}
	return err
}

// lossCausedBy is the loss with the work's error as its cause, unless that is the loss itself, or
// the end of the context by it: as long as the caller's has not ended, the caller must not find
// context.Canceled.
func lossCausedBy(ctx context.Context, loss *LockLost, err error) error {
	isEcho := errors.Is(err, context.Canceled) && ctx.Err() == nil
	if err == nil || err == error(loss) || err == context.Canceled || isEcho {
		return loss
	}
	caused := *loss
	caused.cause = err
	return &caused
}

type holdKey struct{}

// scope is work that runs under a hold, and the context around it.
type scope struct {
	hold  *Hold
	outer context.Context
}

// outerHold is the hold under which the caller already runs, if it covers the request.
func (c *Client) outerHold(
	ctx context.Context, ask LockAcquireInput, namesOwner bool,
) (*Hold, error) {
	for {
		at, ok := ctx.Value(holdKey{}).(*scope)
		if !ok {
			return nil, nil
		}
		ctx = at.outer
		hold := at.hold
		isSame := hold.client == c && hold.Name == ask.Name && hold.Namespace == ask.Namespace
		if !isSame || namesOwner && hold.ask.Owner != ask.Owner || hold.hasEnded() {
			continue
		}
		if loss := hold.checkLost(); loss != nil {
			return nil, loss
		}
		return hold, refuseUpgrade(hold, ask)
	}
}

func (h *Hold) hasEnded() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.isOver
}

// refuseUpgrade: an exclusive hold covers any request, a shared one shared requests, permits as
// many permits.
func refuseUpgrade(hold *Hold, ask LockAcquireInput) error {
	held, wanted := hold.ask, ask.Mode
	isCovered := held.Mode == "exclusive" || held.Mode == ask.Mode
	if isCovered && held.Mode == "permit" && permitsOf(ask) > permitsOf(held) {
		isCovered, wanted = false, "permit, with more permits,"
	}
	if isCovered {
		return nil
	}
	return &LockUpgradeRefused{Lock: hold.Name, Token: hold.Token, Held: held.Mode, Wanted: wanted}
}

func permitsOf(ask LockAcquireInput) int64 {
	if ask.Permits == nil {
		return 1
	}
	return *ask.Permits
}

func patienceOf(options LockOptions) time.Duration {
	switch {
	case options.Wait == 0:
		return time.Minute
	case options.Wait == NoWait:
		return 0
	}
	return options.Wait
}

func (c *Client) acquireInput(name string, options LockOptions) LockAcquireInput {
	lease := options.Lease
	if lease == 0 {
		lease = most(30*time.Second, options.HoldAtLeast)
	}
	ask := LockAcquireInput{
		Namespace: or(options.Namespace, c.namespace), Name: name, Owner: or(options.Owner, c.owner),
		LeaseMs: lease.Milliseconds(), Mode: or(options.Mode, "exclusive"),
		Reentrant: options.Reentrant, Meta: options.Meta,
	}
	if options.HoldAtLeast != 0 {
		ask.HoldAtLeastMs = Int64(options.HoldAtLeast.Milliseconds())
	}
	if options.Permits != 0 {
		ask.Permits = &options.Permits
	}
	if options.Capacity != 0 {
		ask.Capacity = &options.Capacity
	}
	return ask
}

package lockyard

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// The server holds a waiting request at most this long, then answers queued.
	heldOpen = 25 * time.Second
	// The server answers within 5 s of the end of the requested wait, or not at all.
	answerWithin = 6 * time.Second
	// A queued answer faster than this comes from a server that is shutting down.
	atOnce = 200 * time.Millisecond
	// How long a short wait retries while no connection can be made.
	connectWithin = time.Second
	// How long a short wait retries once the server can be reached.
	connectedBudget = 5 * time.Second
	// How long a call is retried if nothing else sets a limit.
	retryBudget = 10 * time.Second
	// How long cleaning up may delay an error that is already certain.
	tidyUp = 2 * time.Second

	// The minimum time for the answer to a renewal: a busy server may take this long.
	slowAnswer = time.Second

	firstLook     = time.Second
	lookEvery     = 4 * time.Second
	respondWithin = 2 * time.Second
)

func ms(count int64) time.Duration { return time.Duration(count) * time.Millisecond }

// drift is how far two clocks may drift apart: 1 %, and 2 ms for rounding.
func drift(lease time.Duration) time.Duration { return lease/100 + 2*time.Millisecond }

// renewalTimeout is the time limit of a renewal: a third of the lease, within bounds.
func renewalTimeout(lease time.Duration) time.Duration {
	return least(answerWithin, most(lease/3, slowAnswer))
}

// retryDelay is at most 1 s, which a queue position survives, unless the server asks for more.
func retryDelay(attempt int, retryAfterMs int64) time.Duration {
	ceiling := time.Second
	if attempt < 4 {
		ceiling = 100 * time.Millisecond << attempt
	}
	delay := ceiling/2 + random(ceiling/2)
	if after := ms(retryAfterMs); after > delay {
		return after
	}
	return delay
}

// pause returns the context's error if it ends first.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}

// retrying retries until there is an answer, a failure that is not transient, or the time is up.
func retrying(ctx context.Context, until func() time.Time, call func() error) error {
	return retryingAfter((*Error).IsTransient, ctx, until, call)
}

// retryingAfter retries until there is an answer, another failure, or the time is up.
func retryingAfter(
	mayPass func(*Error) bool, ctx context.Context, until func() time.Time, call func() error,
) error {
	for attempt := 0; ; attempt++ {
		err := call()
		var failure *Error
		if err == nil || !errors.As(err, &failure) || !mayPass(failure) {
			return err
		}
		delay := retryDelay(attempt, failure.RetryAfterMs)
		if !time.Now().Add(delay).Before(until()) {
			return err
		}
		if stopped := pause(ctx, delay); stopped != nil {
			return stopped
		}
	}
}

// traceKey is the key of an acquire's traceparent in the context of its requests.
type traceKey struct{}

var isTraceparent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// request is one procedure to be called.
type request struct {
	procedure, kind string
	body            []byte
	key             string
	timeout         time.Duration
	// connectWithin is 0 where only timeout limits it.
	connectWithin time.Duration
}

// exchange sends one request to one address, once. A request that was not sent is
// ReasonBackendDown; one without a readable answer is ReasonUnknown.
func (c *Client) exchange(ctx context.Context, address string, ask request, answer any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	during, cancel := context.WithCancel(ctx)
	defer cancel()
	var hasConnection, isTimedOut, isSilent atomic.Bool
	timer := time.AfterFunc(ask.timeout, func() { isTimedOut.Store(true); cancel() })
	defer timer.Stop()
	if ask.connectWithin > 0 {
		unconnected := time.AfterFunc(ask.connectWithin, func() {
			if !hasConnection.Load() {
				cancel()
			}
		})
		defer unconnected.Stop()
	}
	if c.silence != nil {
		go c.silence.during(during, address, func() { isSilent.Store(true); cancel() })
	}
	traced := httptrace.WithClientTrace(during, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { hasConnection.Store(true) },
	})
	reply, text, err := c.roundTrip(traced, address, ask)
	if err != nil && ctx.Err() == nil {
		c.doubtConnections()
	}
	switch {
	case err == nil:
		return readReply(ask, reply, text, answer)
	case ctx.Err() != nil:
		return ctx.Err()
	case !hasConnection.Load():
		what := fmt.Sprintf("Lockyard cannot be reached (%v).", err)
		return &Error{Reason: ReasonBackendDown, Message: what, IsUnreachable: true, cause: err}
	case isSilent.Load():
		return &Error{Reason: ReasonUnknown, Message: "The server does not respond any more."}
	case isTimedOut.Load():
		return &Error{Reason: ReasonUnknown, Message: fmt.Sprintf("No answer within %v.", ask.timeout)}
	}
	return &Error{Reason: ReasonUnknown, Message: fmt.Sprintf("No answer (%v).", err), cause: err}
}

// doubtConnections closes those that are idle: where one has hung, as after the death of a machine
// behind a load balancer, others may as well, and each retry would try the next of them.
func (c *Client) doubtConnections() { c.http.CloseIdleConnections() }

func (c *Client) roundTrip(
	ctx context.Context, address string, ask request,
) (*http.Response, []byte, error) {
	method, at := http.MethodPost, address+"/api/v1/"+ask.procedure
	var body io.Reader = bytes.NewReader(ask.body)
	if ask.kind == "query" {
		method, at, body = http.MethodGet, at+"?input="+url.QueryEscape(string(ask.body)), nil
	}
	send, err := http.NewRequestWithContext(ctx, method, at, body)
	if err != nil {
		return nil, nil, err
	}
	// With it the transport would resend a command when a connection breaks.
	send.GetBody = nil
	send.Header.Set("Authorization", "Bearer "+ask.key)
	send.Header.Set("Content-Type", "application/json")
	trace, _ := ctx.Value(traceKey{}).(string)
	if ask.procedure == "lock.acquire" && isTraceparent.MatchString(trace) {
		send.Header.Set("Traceparent", trace)
	}
	reply, err := c.http.Do(send)
	if err != nil {
		return nil, nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, answerMaxBytes+1))
	return reply, text, err
}

func newTransport(encryption *tls.Config) http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok && encryption == nil {
		return http.DefaultTransport
	}
	own := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if ok {
		own = transport.Clone()
	}
	own.MaxIdleConnsPerHost = 16
	// Sooner than servers and proxies close them: a request sent at that moment gets no answer.
	own.IdleConnTimeout = 30 * time.Second
	if encryption != nil {
		own.TLSClientConfig = encryption.Clone()
	}
	// Requests of HTTP/2 share one connection: if it hangs, so does every retry.
	own.ForceAttemptHTTP2 = false
	own.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	if own.TLSClientConfig != nil {
		own.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	return own
}

// silenceWatch detects a server that has gone silent, as when its machine loses power: then nothing
// ends its open requests. One probe serves all of them, from time to time.
type silenceWatch struct {
	http  *http.Client
	mutex sync.Mutex
	looks map[string]*look
}

// look is one probe of whether a server is alive; isSilent is set before done is closed.
type look struct {
	begunAt  time.Time
	done     chan struct{}
	isSilent bool
}

// during calls hangUp if the server falls silent before ctx ends.
func (w *silenceWatch) during(ctx context.Context, address string, hangUp func()) {
	since := time.Now()
	for delay := firstLook; pause(ctx, delay) == nil; delay = lookEvery {
		asked := w.look(address, since)
		select {
		case <-ctx.Done():
			return
		case <-asked.done:
		}
		if asked.isSilent {
			hangUp()
			return
		}
	}
}

// look checks whether the server has been alive since then, with one probe for all callers.
func (w *silenceWatch) look(address string, since time.Time) *look {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	last := w.looks[address]
	if last != nil && last.begunAt.After(since) && time.Since(last.begunAt) < lookEvery/2 {
		return last
	}
	next := &look{begunAt: time.Now(), done: make(chan struct{})}
	w.looks[address] = next
	go func() {
		defer close(next.done)
		next.isSilent = w.isSilent(address)
	}()
	return next
}

// isSilent: any response counts as one.
func (w *silenceWatch) isSilent(address string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), respondWithin)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/health/live", nil)
	if err != nil {
		return false
	}
	// On a new connection: an open one may hang while a new one is refused.
	ask.Close = true
	reply, err := w.http.Do(ask)
	if err != nil {
		return true
	}
	reply.Body.Close()
	return false
}

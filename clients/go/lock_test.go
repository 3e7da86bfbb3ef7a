package lockyard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Callers take context.Canceled for their own, and end without a word.
func TestLossIsNotTakenForAnEndOfTheCallersContext(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, ask *http.Request) {
		if !strings.HasSuffix(ask.URL.Path, "lock.acquire") {
			reply.WriteHeader(http.StatusBadGateway)
			return
		}
		lease := `"outcome":"granted","token":1,"waitedMs":0,"expiresAt":1,"expiresInMs":500`
		fmt.Fprintf(reply, `{"result":{"data":{%s}}}`, lease)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	for _, isOver := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		err := client.WithLock(ctx, "job", LockOptions{Lease: 500 * time.Millisecond},
			func(during context.Context, hold *Hold) error {
				<-during.Done()
				if isOver {
					cancel()
				}
				return fmt.Errorf("query: %w", during.Err())
			})
		cancel()
		var lost *LockLost
		if !errors.As(err, &lost) || errors.Is(err, context.Canceled) != isOver {
			t.Fatalf("the caller has given up: %v; %v, caused by %v", isOver, err, errors.Unwrap(err))
		}
	}
}

// As of a proxy whose server is being replaced.
func TestReleaseThatSomethingElseAnswersIsSentAgain(t *testing.T) {
	ids := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, ask *http.Request) {
		outcome := "granted"
		if strings.HasSuffix(ask.URL.Path, "lock.release") {
			var step LockReleaseInput
			_ = json.NewDecoder(ask.Body).Decode(&step)
			ids <- step.RequestID
			outcome = "released"
			if len(ids) == 1 {
				http.NotFound(reply, ask)
				return
			}
		}
		lease := `"token":1,"waitedMs":0,"expiresAt":1,"expiresInMs":60000`
		fmt.Fprintf(reply, `{"result":{"data":{"outcome":"%s",%s}}}`, outcome, lease)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	err = client.WithLock(context.Background(), "job", LockOptions{},
		func(context.Context, *Hold) error { return nil })
	if err != nil || len(ids) != 2 || <-ids != <-ids {
		t.Fatalf("%v, after %d more releases", err, len(ids))
	}
}

func TestRenewalThatIsAnsweredAfterTheReleaseIsNoLoss(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(reply, `{"result":{"data":{"outcome":"lost","cause":"released","at":1}}}`)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	ask := LockAcquireInput{LeaseMs: 60_000}
	hold := newHold(client, ask, &grant{expiresInMs: 60_000, sentAt: time.Now()})
	hold.finish()
	// As of a request that was answered just before it could be ended.
	hold.renewing = context.Background()
	if err := hold.askToRenew(); err != nil || hold.checkLost() != nil {
		t.Fatalf("%v, lost by %v", err, hold.checkLost())
	}
}

func TestMissingWorkIsRefusedBeforeTheLockIsAskedFor(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	var refused *Error
	err = client.WithLock(context.Background(), "job", LockOptions{Wait: NoWait}, nil)
	if !errors.As(err, &refused) || refused.Reason != ReasonInvalid || requests.Load() > 0 {
		t.Fatalf("%v, after %d requests", err, requests.Load())
	}
}

func TestNegativeWaitIsRefusedUnlessItIsNoWait(t *testing.T) {
	client, err := New(Options{URL: "http://127.0.0.1:1", APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	work := func(context.Context, *Hold) error { return nil }
	for _, wait := range []time.Duration{-2, -time.Second, math.MinInt64} {
		var refused *Error
		err = client.WithLock(context.Background(), "job", LockOptions{Wait: wait}, work)
		if !errors.As(err, &refused) || refused.Reason != ReasonInvalid {
			t.Fatalf("a wait of %d: %v", wait, err)
		}
	}
}

func TestWorkDoesNotBeginForACallerThatHasGivenUp(t *testing.T) {
	var releases atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, ask *http.Request) {
		releases.Add(1)
		fmt.Fprint(reply, `{"result":{"data":{"outcome":"released"}}}`)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	// As when it gives up just as the grant arrives.
	over, giveUp := context.WithCancel(context.Background())
	giveUp()
	ask, granted := LockAcquireInput{Name: "job"}, &grant{expiresInMs: 60_000, sentAt: time.Now()}
	hold := newHold(client, ask, granted)
	begun := func(context.Context, *Hold) error { return errors.New("the work began") }
	if err := client.workUnder(over, hold, LockOptions{}, begun); err != context.Canceled {
		t.Fatal(err)
	}
	if releases.Load() != 1 {
		t.Fatalf("released %d times", releases.Load())
	}
	err = workWithin(over, newHold(client, ask, granted), LockOptions{}, begun)
	if err != context.Canceled {
		t.Fatalf("under the hold of an outer call: %v", err)
	}
}

// As after an operator has shortened what a namespace allows, which renewals then get.
func TestLeaseLongerThanItsNamespaceHasComeToAllowIsRenewedInTime(t *testing.T) {
	lease := `"token":1,"waitedMs":0,"expiresAt":1,"expiresInMs":1500`
	renewals := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, ask *http.Request) {
		outcome := "released"
		switch {
		case strings.HasSuffix(ask.URL.Path, "lock.acquire"):
			outcome = "granted"
		case strings.HasSuffix(ask.URL.Path, "lock.renew"):
			outcome = "renewed"
			renewals <- struct{}{}
		}
		fmt.Fprintf(reply, `{"result":{"data":{"outcome":"%s",%s}}}`, outcome, lease)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	err = client.WithLock(context.Background(), "job", LockOptions{Lease: time.Hour},
		func(ctx context.Context, _ *Hold) error {
			for i := 0; i < 4; i++ {
				select {
				case <-renewals:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// An earlier one that is answered meanwhile prolongs the lease.
func TestRenewalMayBeAnsweredAfterTheEndOfTheLeaseThatWasCertainBefore(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, _ *http.Request) {
		time.Sleep(100 * time.Millisecond)
		fmt.Fprint(reply, `{"result":{"data":{"outcome":"renewed","expiresAt":2,"expiresInMs":1500}}}`)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	granted := &grant{expiresInMs: 50, sentAt: time.Now()}
	hold := newHold(client, LockAcquireInput{LeaseMs: 1_500}, granted)
	if err := hold.askToRenew(); err != nil || hold.ExpiresAt() != 2 {
		t.Fatalf("%v, ends at %d", err, hold.ExpiresAt())
	}
}

func TestRenewalThatFailedBeforeOneThatSucceededIsNotTheCauseOfALoss(t *testing.T) {
	hold := newHold(nil, LockAcquireInput{LeaseMs: 60_000}, &grant{expiresInMs: 1, sentAt: time.Now()})
	hold.lastFailure = errors.New("away")
	hold.prolong(time.Now(), RenewAnswer{ExpiresInMs: 5})
	time.Sleep(10 * time.Millisecond)
	if loss := hold.checkLost(); loss == nil || errors.Unwrap(loss) != nil {
		t.Fatalf("%v, caused by %v", loss, errors.Unwrap(loss))
	}
}

package lockyard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// As with Go before 1.20, where math/rand begins alike in every process.
const unseeded = "GODEBUG=randautoseed=0"

func TestCallersInSeveralProcessesDoNotTryAgainTogether(t *testing.T) {
	if os.Getenv("LOCKYARD_SAYS_DELAYS") != "" {
		for attempt := 0; attempt < 4; attempt++ {
			fmt.Println("delay", retryDelay(attempt, 0))
		}
		return
	}
	one, other := delaysOfAnother(t), delaysOfAnother(t)
	if bytes.Equal(one, other) {
		t.Fatalf("both wait for %s", one)
	}
}

// The server closes a connection that is idle for 65 s; a request that is sent just then is lost.
func TestIdleConnectionsAreClosedBeforeTheServerDoes(t *testing.T) {
	client, err := New(Options{URL: "http://127.0.0.1:1", APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	kept := client.http.Transport.(*http.Transport).IdleConnTimeout
	if kept <= 0 || kept >= 60*time.Second {
		t.Fatalf("they are kept for %v", kept)
	}
}

func TestConnectionsAreEncryptedAsTheCallerConfigures(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(reply http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(reply, `{"result":{"data":{"state":"free"}}}`)
	}))
	defer server.Close()
	encryption := server.Client().Transport.(*http.Transport).TLSClientConfig
	client, err := New(Options{URL: server.URL, APIKey: "key", TLS: encryption})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Inspect(context.Background(), LockInspectInput{Name: "job"}); err != nil {
		t.Fatal(err)
	}
}

func TestAnAnswerOfSomethingElseMakesTheNextRequestBeginElsewhere(t *testing.T) {
	proxy := httptest.NewServer(http.NotFoundHandler())
	defer proxy.Close()
	client, err := New(Options{URL: proxy.URL + ",http://127.0.0.1:1", APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Inspect(context.Background(), LockInspectInput{Name: "job"})
	var failure *Error
	if !errors.As(err, &failure) || !failure.IsForeign {
		t.Fatalf("it is answered %v", err)
	}
	if next := client.addresses.inOrder()[0]; next != "http://127.0.0.1:1" {
		t.Fatalf("the next begins at %s", next)
	}
}

// As those through a load balancer to a machine that is gone, while others answer.
func TestHoldOutlivesConnectionsThatFallSilent(t *testing.T) {
	for _, lease := range []time.Duration{1500 * time.Millisecond, 4500 * time.Millisecond} {
		server := newServerThatFallsSilent(lease)
		client, err := New(Options{URL: server.http.URL, APIKey: "key"})
		if err != nil {
			t.Fatal(err)
		}
		// At the same time, so that each has a connection of its own.
		var asking sync.WaitGroup
		for i := 0; i < 8; i++ {
			asking.Add(1)
			go func() {
				defer asking.Done()
				_, _ = client.Inspect(context.Background(), LockInspectInput{Name: "job"})
			}()
		}
		asking.Wait()
		err = client.WithLock(context.Background(), "job", LockOptions{Lease: lease},
			func(ctx context.Context, hold *Hold) error {
				select {
				case <-time.After(2 * lease):
				case <-ctx.Done():
				}
				return nil
			})
		server.close()
		if err != nil || server.renewals < 3 {
			t.Fatalf("with a lease of %v: %v after %d renewals", lease, err, server.renewals)
		}
	}
}

// serverThatFallsSilent answers nothing more, once a lock is granted, over the connections that
// it has by then.
type serverThatFallsSilent struct {
	http     *httptest.Server
	lease    string
	end      chan struct{}
	mutex    sync.Mutex
	isSilent map[string]bool
	renewals int
	// Whether a lock is granted.
	isHeld bool
}

func newServerThatFallsSilent(lease time.Duration) *serverThatFallsSilent {
	server := &serverThatFallsSilent{
		lease:    fmt.Sprintf(`"expiresAt":1,"expiresInMs":%d`, lease.Milliseconds()),
		end:      make(chan struct{}),
		isSilent: map[string]bool{},
	}
	server.http = httptest.NewServer(http.HandlerFunc(server.answer))
	return server
}

func (s *serverThatFallsSilent) close() {
	close(s.end)
	s.http.Close()
}

func (s *serverThatFallsSilent) answer(reply http.ResponseWriter, ask *http.Request) {
	_, _ = io.Copy(io.Discard, ask.Body)
	s.mutex.Lock()
	if !s.isHeld {
		s.isSilent[ask.RemoteAddr] = true
	}
	isSilent := s.isHeld && s.isSilent[ask.RemoteAddr]
	data := `{"outcome":"released"}`
	switch procedure := strings.TrimPrefix(ask.URL.Path, "/api/v1/"); {
	case isSilent:
	case procedure == "lock.acquire":
		s.isHeld = true
		data = `{"outcome":"granted","token":1,"waitedMs":0,` + s.lease + `}`
	case procedure == "lock.renew":
		s.renewals++
		data = `{"outcome":"renewed",` + s.lease + `}`
	case procedure == "lock.inspect":
		data = `{"state":"free"}`
	}
	s.mutex.Unlock()
	if isSilent {
		<-s.end
		return
	}
	if data == `{"state":"free"}` {
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Fprintf(reply, `{"result":{"data":%s}}`, data)
}

func delaysOfAnother(t *testing.T) []byte {
	t.Helper()
	process := exec.Command(os.Args[0], "-test.run", t.Name(), "-test.v")
	process.Env = append(os.Environ(), "LOCKYARD_SAYS_DELAYS=1", unseeded)
	said, err := process.Output()
	if err != nil {
		t.Fatal(err)
	}
	delays := []byte{}
	for _, line := range bytes.Split(said, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("delay ")) {
			delays = append(delays, line...)
		}
	}
	if len(delays) == 0 {
		t.Fatalf("no delays in %s", said)
	}
	return delays
}

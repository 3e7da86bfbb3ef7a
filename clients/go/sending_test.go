package lockyard

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
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

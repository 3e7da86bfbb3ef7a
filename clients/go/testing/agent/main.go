// The agent of the Go client: runs the scenarios' commands, one line of JSON each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"lockyard"
)

type options struct {
	Namespace, Owner, Mode    string
	Traceparent               string
	LeaseMs, HoldAtLeastMs    int64
	WaitMs                    json.RawMessage
	Permits, Capacity         int64
	Reentrant, OwnHold, Stays bool
	Meta                      map[string]string
}

type command struct {
	Do, ID, Name, Procedure, File string
	Options                       options
	Client                        struct{ URL, APIKey string }
	Input                         json.RawMessage
	Rounds, Workers               int
}

type facts map[string]any

var (
	errWorkFailed = errors.New("work failed")
	output        sync.Mutex
	mutex         sync.Mutex
	clients       = map[string]*lockyard.Client{}
	works         = map[string]*work{}
)

type work struct {
	commands chan command
	ctx      context.Context
	giveUp   context.CancelFunc
}

func say(id, event string, more facts) {
	line := facts{"id": id, "event": event}
	for key, value := range more {
		line[key] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(text))
}

func clientOf(ask command) (*lockyard.Client, error) {
	mutex.Lock()
	defer mutex.Unlock()
	key := fmt.Sprint(ask.Client)
	if clients[key] == nil {
		made, err := lockyard.New(lockyard.Options{URL: ask.Client.URL, APIKey: ask.Client.APIKey})
		if err != nil {
			return nil, err
		}
		clients[key] = made
	}
	return clients[key], nil
}

func lockOptions(asked options) lockyard.LockOptions {
	ms := func(count int64) time.Duration { return time.Duration(count) * time.Millisecond }
	made := lockyard.LockOptions{
		Namespace: asked.Namespace, Owner: asked.Owner, Mode: asked.Mode,
		Lease: ms(asked.LeaseMs), HoldAtLeast: ms(asked.HoldAtLeastMs),
		Permits: asked.Permits, Capacity: asked.Capacity,
		Reentrant: asked.Reentrant, OwnHold: asked.OwnHold, Meta: asked.Meta,
		Traceparent: asked.Traceparent,
	}
	for key, value := range made.Meta {
		made.Meta[key] = withBrokenText(value)
	}
	switch text := string(asked.WaitMs); text {
	case "":
	case "null":
		made.Wait = lockyard.Forever
	case "0":
		made.Wait = lockyard.NoWait
	default:
		wait, _ := strconv.ParseInt(text, 10, 64)
		made.Wait = ms(wait)
	}
	return made
}

func lock(ask command, own *work) (facts, error) {
	client, err := clientOf(ask)
	if err != nil {
		return nil, err
	}
	id, made := ask.ID, lockOptions(ask.Options)
	remark := func(what string) func(lockyard.Remark) {
		return func(said lockyard.Remark) {
			say(id, "remark", facts{"what": what, "by": said.By, "reason": said.Reason, "at": said.At})
		}
	}
	made.OnAskedToRelease, made.OnRenewalsStopped = remark("asked"), remark("stopped")
	result := ""
	underLock := func(ctx context.Context, hold *lockyard.Hold) error {
		say(id, "begun", facts{
			"token": hold.Token, "waitedMs": hold.WaitedMs, "expiresAt": hold.ExpiresAt(),
			"waitedForTraceparent": hold.WaitedForTraceparent,
		})
		ended := ctx.Done()
		for {
			select {
			case <-ended:
				say(id, "aborted", nil)
				if !ask.Options.Stays {
					return ctx.Err()
				}
				ended = nil
			case next := <-own.commands:
				switch next.Do {
				case "finish":
					result = "result"
					return nil
				case "fail":
					return errWorkFailed
				}
				during(ctx, id, client, hold, next)
			}
		}
	}
	err = client.WithLock(own.ctx, withBrokenText(ask.Name), made, underLock)
	return facts{"result": result}, err
}

func during(
	ctx context.Context, id string, client *lockyard.Client, hold *lockyard.Hold, ask command,
) {
	switch ask.Do {
	case "remaining":
		at := time.Now().UnixMicro()
		left := hold.Remaining()
		say(id, "remaining", facts{"ms": float64(left) / 1e6, "at": float64(at) / 1e3})
	case "step":
		if hold.Check() == nil {
			say(id, "stepped", nil)
		} else {
			say(id, "refused", nil)
		}
	case "nested":
		inner := func(_ context.Context, hold *lockyard.Hold) error {
			say(id, "nested", facts{"token": hold.Token})
			return nil
		}
		made := lockOptions(ask.Options)
		made.OnAskedToRelease = func(said lockyard.Remark) {
			say(id, "remark", facts{"what": "asked within", "by": said.By, "reason": said.Reason})
		}
		if err := client.WithLock(ctx, ask.Name, made, inner); err != nil {
			say(id, "nested", factsOf(err))
		}
	}
}

func factsOf(err error) facts {
	var failure *lockyard.Error
	var timeout *lockyard.LockTimeout
	var lost *lockyard.LockLost
	var unconfirmed *lockyard.ReleaseUnconfirmed
	var upgrade *lockyard.LockUpgradeRefused
	switch {
	case errors.As(err, &lost):
		found := facts{
			"error": "LockLost", "token": lost.Token, "cause": lost.Cause, "because": because(lost),
		}
		if lost.At != 0 {
			found["at"], found["by"], found["reason"] = lost.At, lost.By, lost.Reason
		}
		return found
	case errors.As(err, &timeout):
		return facts{"error": "LockTimeout", "message": timeout.Error(), "holders": timeout.Holders,
			"frozen": timeout.Frozen, "queueLength": timeout.QueueLength}
	case errors.As(err, &unconfirmed):
		return facts{"error": "ReleaseUnconfirmed", "because": because(unconfirmed)}
	case errors.As(err, &upgrade):
		return facts{"error": "LockUpgradeRefused", "lock": upgrade.Lock, "token": upgrade.Token}
	case errors.As(err, &failure):
		return facts{"error": "LockyardError", "message": failure.Message,
			"reason": failure.Reason, "capacity": failure.Capacity,
			"isUnreachable": failure.IsUnreachable, "requestId": failure.RequestID,
			"retryAfterMs": failure.RetryAfterMs, "detail": failure.Detail}
	case errors.Is(err, errWorkFailed):
		return facts{"error": "WorkFailed"}
	case errors.Is(err, context.Canceled):
		return facts{"error": "Abandoned"}
	}
	return facts{"error": err.Error()}
}

// withBrokenText restores broken text: JSON decoding turned half of a surrogate pair into U+FFFD,
// which is well-formed.
func withBrokenText(text string) string { return strings.ReplaceAll(text, "\uFFFD", "\xff") }

func because(err error) string {
	var failure *lockyard.Error
	switch cause := errors.Unwrap(err); {
	case errors.Is(cause, errWorkFailed):
		return "WorkFailed"
	case errors.As(cause, &failure):
		return "LockyardError"
	}
	return ""
}

func count(ask command) (facts, error) {
	client, err := clientOf(ask)
	if err != nil {
		return nil, err
	}
	ended := make(chan error)
	for worker := 0; worker < ask.Workers; worker++ {
		go func() {
			var failed error
			for round := 0; round < ask.Rounds && failed == nil; round++ {
				failed = client.WithLock(context.Background(), ask.Name, lockyard.LockOptions{},
					func(context.Context, *lockyard.Hold) error { return addOne(ask.File) })
			}
			ended <- failed
		}()
	}
	for worker := 0; worker < ask.Workers; worker++ {
		if failed := <-ended; failed != nil {
			err = failed
		}
	}
	return nil, err
}

func addOne(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	seen, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	time.Sleep(time.Millisecond)
	return os.WriteFile(file, []byte(strconv.Itoa(seen+1)), 0o600)
}

func one[I, A any](
	input json.RawMessage, method func(context.Context, I) (A, error),
) (facts, error) {
	var ask I
	if err := json.Unmarshal(input, &ask); err != nil {
		return nil, err
	}
	answer, err := method(context.Background(), ask)
	return facts{"answer": answer}, err
}

func call(ask command) (facts, error) {
	client, err := clientOf(ask)
	if err != nil {
		return nil, err
	}
	switch ask.Procedure {
	case "acquire":
		return one(ask.Input, client.Acquire)
	case "acquireMany":
		return one(ask.Input, client.AcquireMany)
	case "cancel":
		return one(ask.Input, client.Cancel)
	case "cancelMany":
		return one(ask.Input, client.CancelMany)
	case "list":
		return one(ask.Input, client.List)
	case "renew":
		return one(ask.Input, client.Renew)
	case "createCounter":
		return one(ask.Input, client.CreateCounter)
	case "addToCounter":
		return one(ask.Input, client.AddToCounter)
	case "getCounter":
		return one(ask.Input, client.GetCounter)
	case "inspect":
		return one(ask.Input, client.Inspect)
	case "check":
		return one(ask.Input, client.Check)
	case "watch":
		return one(ask.Input, client.Watch)
	case "release":
		return one(ask.Input, client.Release)
	}
	return nil, fmt.Errorf("unknown procedure %s", ask.Procedure)
}

func report(id, event string, end facts, err error) {
	if err != nil {
		failed := factsOf(err)
		if failed["error"] == "ReleaseUnconfirmed" {
			failed["result"] = end["result"]
		}
		end = failed
	}
	say(id, event, end)
}

func obey(ask command) {
	switch ask.Do {
	case "lock":
		ctx, giveUp := context.WithCancel(context.Background())
		own := &work{make(chan command, 16), ctx, giveUp}
		works[ask.ID] = own
		go func() {
			end, err := lock(ask, own)
			report(ask.ID, "ended", end, err)
		}()
	case "count":
		go func() {
			end, err := count(ask)
			report(ask.ID, "ended", end, err)
		}()
	case "call":
		go func() {
			end, err := call(ask)
			report(ask.ID, "answer", end, err)
		}()
	case "giveUp":
		works[ask.ID].giveUp()
	default:
		works[ask.ID].commands <- ask
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var ask command
		if err := json.Unmarshal(lines.Bytes(), &ask); err != nil {
			panic(err)
		}
		obey(ask)
	}
}

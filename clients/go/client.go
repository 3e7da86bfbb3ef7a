// Package lockyard is the client of the Lockyard lock service: acquire a lock, keep it renewed,
// learn when it is lost. It needs only the standard library.
//
//	client, err := lockyard.New(lockyard.Options{}) // LOCKYARD_URL and LOCKYARD_API_KEY
//	err = client.WithLock(ctx, "invoices:2026-11", lockyard.LockOptions{},
//		func(ctx context.Context, hold *lockyard.Hold) error {
//			return book(ctx, hold.Token) // ctx ends as soon as the lock is lost
//		})
package lockyard

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// Options of a client; the zero value takes everything from the environment.
type Options struct {
	// URL is http(s)://…, or several servers of one database, separated by commas. Default:
	// LOCKYARD_URL.
	URL string
	// APIKey is by default LOCKYARD_API_KEY, or the content of the file LOCKYARD_API_KEY_FILE, which
	// is read again when its key is refused.
	APIKey string
	// Namespace is the namespace of calls that do not name one. Default: default.
	Namespace string
	// Owner is the owner id of this client's holds, at most 100 bytes. Default: host, process id,
	// random text.
	Owner string
	// Version is this program's version, shown to operators with its holds. Default: that of this
	// package.
	Version string
	// TLS configures https connections, as for a certificate of the client. Default: the certificate
	// authorities of the system; SSL_CERT_FILE and SSL_CERT_DIR change which, except on macOS and
	// Windows. Where http.DefaultTransport was replaced by one of another type, it is used only if
	// TLS is nil.
	TLS *tls.Config
}

// Client is a client of one Lockyard. One is enough for a program; any number of goroutines can
// use it.
//
// Each of its methods from Acquire to GetCounter sends one request; the client fills in a missing
// Owner and Namespace. Expected outcomes are values with Outcome; everything else is an *Error.
// WithLock adds waiting, renewing, retrying and releasing.
type Client struct {
	addresses *addresses
	key       *apiKey
	namespace string
	owner     string
	meta      map[string]string
	http      *http.Client
	silence   *silenceWatch
}

// New returns an *Error with ReasonInvalid if the address or the key is missing or invalid.
func New(options Options) (*Client, error) {
	at := options.URL
	if at == "" {
		at = os.Getenv("LOCKYARD_URL")
	}
	if at == "" {
		return nil, invalid("Missing option URL: pass it, or set LOCKYARD_URL.")
	}
	read, err := readAddresses(at)
	if err != nil {
		return nil, err
	}
	key, err := newAPIKey(options.APIKey)
	if err != nil {
		return nil, err
	}
	identity := processMeta()
	owner := fmt.Sprintf("%s:%s:%s", identity["host"], identity["pid"], newRequestID()[:6])
	client := &Client{
		addresses: read,
		key:       key,
		namespace: or(options.Namespace, "default"),
		owner:     or(options.Owner, owner),
		meta:      identity,
		http: &http.Client{
			Transport: newTransport(options.TLS),
			// Following a redirect would send a command twice.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	client.meta["version"] = or(options.Version, Version)
	if len(read.all) > 1 {
		client.silence = &silenceWatch{http: client.http, looks: map[string]*look{}}
	}
	return client, nil
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// Int64 returns a pointer for an optional number of an input.
func Int64(value int64) *int64 { return &value }

// call sends one procedure, with a timeout that includes its wait.
func (c *Client) call(ctx context.Context, procedure, kind string, ask, answer any) error {
	fields, err := c.completed(procedure, ask)
	if err != nil {
		return err
	}
	timeout := answerWithin
	if wait, ok := fields["waitMs"].(float64); ok && wait < float64(heldOpen/time.Millisecond) {
		timeout += ms(int64(wait))
	} else if ok || procedure == "lock.watch" {
		timeout += heldOpen
	}
	return c.send(ctx, request{procedure: procedure, kind: kind, timeout: timeout}, fields, answer)
}

// send sends to the address in use. If no connection can be made, and the request was not sent or
// is safe to repeat, it tries the others in turn; the one that answers stays in use.
func (c *Client) send(ctx context.Context, ask request, fields map[string]any, answer any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return invalid("%v", err)
	}
	ask.body = body
	until := time.Now().Add(ask.timeout)
	mayRepeat := isRepeatable(ask, fields)
	var failures []*Error
	for _, address := range c.addresses.inOrder() {
		sentAt := time.Now()
		err := c.key.use(func(key string) error {
			ask.key, ask.timeout = key, time.Until(until)
			return c.exchange(ctx, address, ask, answer)
		})
		var failure *Error
		if errors.As(err, &failure) && failure.isServerFailure() {
			c.addresses.leave(address)
			failures = append(failures, failure)
			mayMove := failure.IsUnreachable && (mayRepeat || failure.Reason == ReasonBackendDown)
			if mayMove && time.Now().Before(until) {
				continue
			}
		}
		if err == nil && isQueued(answer) && time.Since(sentAt) < atOnce {
			c.addresses.leave(address)
		}
		return err
	}
	return noneReachable(failures)
}

func isQueued(answer any) bool {
	switch asked := answer.(type) {
	case *AcquireAnswer:
		return asked.Outcome == "queued"
	case *AcquireManyAnswer:
		return asked.Outcome == "queued"
	}
	return false
}

func noneReachable(failures []*Error) *Error {
	if len(failures) == 1 {
		return failures[0]
	}
	reason := ReasonBackendDown
	for _, failure := range failures {
		if failure.Reason != ReasonBackendDown {
			reason = ReasonUnknown
		}
	}
	what := fmt.Sprintf("Lockyard cannot be reached at any of %d addresses.", len(failures))
	return &Error{Reason: reason, Message: what, IsUnreachable: true, cause: failures[0]}
}

// isRepeatable says whether a call is safe to repeat: some are only with a request id.
func isRepeatable(ask request, fields map[string]any) bool {
	switch ask.procedure {
	case "lock.renew", "lock.watch", "counter.create":
		return true
	}
	return ask.kind == "query" || fields["requestId"] != nil
}

// completed is an input with the fields that the client fills in.
func (c *Client) completed(procedure string, ask any) (map[string]any, error) {
	if field := c.malformedIn(ask); field != "" {
		return nil, invalid("%s: must be well-formed Unicode", field)
	}
	text, err := json.Marshal(ask)
	if err != nil {
		return nil, invalid("%v", err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, invalid("%v", err)
	}
	if fields["namespace"] == nil {
		fields["namespace"] = c.namespace
	}
	if owner, ok := fields["owner"]; ok && owner == "" {
		fields["owner"] = c.owner
	}
	// An empty prefix, which is left out of JSON, is that of all locks.
	if watched, ok := ask.(LockWatchInput); ok && watched.Names == nil {
		fields["prefix"] = watched.Prefix
	}
	if procedure == "lock.acquire" || procedure == "lock.acquireMany" {
		own := map[string]string{}
		if given, ok := fields["meta"].(map[string]any); ok {
			for key, value := range given {
				own[key] = fmt.Sprint(value)
			}
		}
		fields["meta"] = metaWith(c.meta, own)
	}
	return fields, nil
}

// malformedIn is the field of an input, or of what the client adds, that has invalid UTF-8; empty
// if none has.
func (c *Client) malformedIn(ask any) string {
	own := map[string]any{"namespace": c.namespace, "owner": c.owner}
	for _, value := range []reflect.Value{reflect.ValueOf(ask), reflect.ValueOf(own)} {
		if value.Kind() == reflect.Map {
			for entries := value.MapRange(); entries.Next(); {
				if !isWellFormed(entries.Value()) {
					return entries.Key().String()
				}
			}
			continue
		}
		for i := 0; i < value.NumField(); i++ {
			if !isWellFormed(value.Field(i)) {
				name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
				return name
			}
		}
	}
	return ""
}

// isWellFormed: json.Marshal replaces invalid UTF-8 by U+FFFD, which would be another name.
func isWellFormed(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		return utf8.ValidString(value.String())
	case reflect.Pointer, reflect.Interface:
		return value.IsNil() || isWellFormed(value.Elem())
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			if !isWellFormed(value.Field(i)) {
				return false
			}
		}
	case reflect.Slice:
		for i := 0; i < value.Len(); i++ {
			if !isWellFormed(value.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for entries := value.MapRange(); entries.Next(); {
			if !isWellFormed(entries.Key()) || !isWellFormed(entries.Value()) {
				return false
			}
		}
	}
	return true
}

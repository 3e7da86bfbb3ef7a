package lockyard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
)

const (
	// Enough for a page of 1,000 locks with 200 holders each, which is the most that one can have.
	answerMaxMiB   = 64
	answerMaxBytes = answerMaxMiB << 20
)

// A proxy may ask for hours, while a hold or a queue position is lost in seconds.
const retryAfterMaxMs = 5_000

// The reason for the status of a proxy, or of a server whose own reason is newer than this client.
// With these the call was not applied; with any other it may have been.
var refusals = map[int]string{
	301: ReasonInvalid, 302: ReasonInvalid, 307: ReasonInvalid, 308: ReasonInvalid,
	400: ReasonInvalid, 401: ReasonUnauthenticated, 403: ReasonForbidden, 404: ReasonNotFound,
	405: ReasonInvalid, 413: ReasonTooLarge, 429: ReasonRateLimited,
}

// readReply reads the result in a reply to a procedure, or returns the refusal in it; for anything
// else, one by its status. A text beyond answerMaxBytes was not read to its end.
func readReply(ask request, reply *http.Response, text []byte, answer any) error {
	var envelope struct {
		Result struct{ Data json.RawMessage }
		Error  *struct {
			Message string
			Data    struct {
				Reason       string
				RetryAfterMs int64
				Capacity     int64
				Detail       string
				WaitMaxMs    int64
			}
		}
	}
	failure := &Error{RequestID: reply.Header.Get("X-Request-Id")}
	if len(text) > answerMaxBytes {
		failure.Reason = ReasonUnknown
		if ask.kind == "query" {
			// It changes nothing, and its caller can ask for less.
			failure.Reason = ReasonTooLarge
		}
		failure.Message = fmt.Sprintf("The answer has more than %d MiB.", answerMaxMiB)
		return failure
	}
	isRead := json.Unmarshal(text, &envelope) == nil
	isOK := isRead && reply.StatusCode >= 200 && reply.StatusCode < 300
	data := envelope.Result.Data
	if isOK && bytes.HasPrefix(data, []byte("{")) {
		missing := missingIn(ask.procedure, data)
		if missing == "" && json.Unmarshal(data, answer) == nil {
			return nil
		}
		failure.Reason = ReasonUnknown
		failure.Message = fmt.Sprintf("The answer has no %s.", or(missing, "known form"))
		return failure
	}
	failure.Reason = refusals[reply.StatusCode]
	if failure.Reason == "" {
		failure.Reason = ReasonUnknown
	}
	if isRead && envelope.Error != nil && envelope.Error.Data.Reason != "" {
		if reason := envelope.Error.Data.Reason; isKnown(reason) {
			failure.Reason = reason
		}
		failure.Message = envelope.Error.Message
		failure.RetryAfterMs = envelope.Error.Data.RetryAfterMs
		failure.Capacity = envelope.Error.Data.Capacity
		failure.Detail = envelope.Error.Data.Detail
		failure.WaitMaxMs = envelope.Error.Data.WaitMaxMs
		return failure
	}
	failure.IsForeign = true
	failure.Message = fmt.Sprintf(
		"%d came without an answer of Lockyard; check the URL.", reply.StatusCode)
	failure.RetryAfterMs = retryAfterLimitMs(reply)
	return failure
}

// missingIn is what an answer lacks to say what was done, as a phrase for a message; empty:
// nothing. json.Unmarshal would leave absent fields at their zero values.
func missingIn(procedure string, data []byte) string {
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil {
		return "known form"
	}
	outcomes := answerNeeds[procedure]
	outcome, _ := fields["outcome"].(string)
	if _, hasNone := outcomes[""]; hasNone {
		outcome = ""
	}
	needs, isKnown := outcomes[outcome]
	if !isKnown {
		return "known outcome"
	}
	for _, name := range needs {
		if fields[name] == nil || isNumber[name] && !isExact(fields[name]) {
			return strconv.Quote(name)
		}
	}
	return ""
}

// isNumber has the fields of a grant and a renewal with which the client calculates.
var isNumber = map[string]bool{
	"token": true, "expiresAt": true, "expiresInMs": true, "waitedMs": true,
}

// isExact: a number that is not exact in all languages is of no Lockyard.
func isExact(value any) bool {
	number, ok := value.(float64)
	return ok && math.Abs(number) < 1<<53
}

// retryAfterLimitMs is the Retry-After of a proxy that limits the rate. Ignored with any other
// status: the next attempt may reach another server.
func retryAfterLimitMs(reply *http.Response) int64 {
	seconds, err := strconv.ParseUint(reply.Header.Get("Retry-After"), 10, 31)
	if reply.StatusCode != http.StatusTooManyRequests || err != nil {
		return 0
	}
	if hint := int64(seconds) * 1000; hint < retryAfterMaxMs {
		return hint
	}
	return retryAfterMaxMs
}

func isKnown(reason string) bool {
	for _, known := range Reasons {
		if reason == known {
			return true
		}
	}
	return false
}

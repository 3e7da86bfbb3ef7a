/** The introduction of the document, about all procedures, in Markdown. */
export const OPENAPI_INTRO = [
  'A procedure that changes something is a `POST` with its input as the JSON body, as is ' +
    '`lock.watch`; a query is a `GET` with the fields of its input as parameters, or with the ' +
    'whole input as `?input=<JSON>`; both carry `Authorization: Bearer <API key>`.',
  '**Answers.** Success is `{"result":{"data":{…}}}`. Every expected result is such a ' +
    'value, distinguished by `outcome`; an error is `{"error":{…}}` with a status of 400 or ' +
    'more and `error.data.reason`. Answers may gain fields: ignore those you do not know. ' +
    'Unknown fields of an input are refused. Every answer carries `X-Request-Id`.',
  '**Time.** Durations (`…Ms`) are milliseconds. Instants (`…At`, `at`) are epoch ' +
    'milliseconds of the backend’s clock, each with its `…InMs` for callers whose clock ' +
    'differs.',
  '**Tokens.** Every grant of a lock has a fencing token, a positive integer below 2^53 ' +
    'that rises with every grant. A holder that was paused can still write after its lease ' +
    'has ended; only the guarded resource can reject that write, by its token.',
  '**Traces.** An acquire may carry a `traceparent` header of W3C Trace Context, which is ' +
    'stored with its hold. Answers contain it for each holder of the caller’s own service; a ' +
    'grant after a wait contains that of the hold it waited for. An invalid one is ignored.',
  '**Limits.** A body has at most 256 KB; the address and the headers together have at most ' +
    '64 KB. Texts are measured in bytes of UTF-8, must be well-formed and must not contain ' +
    'NUL. A lease is 100 ms to 24 h, a wait at most 10 min, a queue at most 200, unless the ' +
    'policy of the namespace says otherwise. A request is held open for at most 25 s.',
  '**Batches.** `POST /lock.release,lock.release?batch=1` with `{"0":{…},"1":{…}}` carries ' +
    'up to 20 calls, all of one kind, none of which may wait unless it is the only one. The ' +
    'answer is an array with one element for each call; the status is 207 if theirs differ.',
].join('\n\n');

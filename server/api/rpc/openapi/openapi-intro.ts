/** What is true of every procedure, in words. */
export const OPENAPI_INTRO = `A procedure that changes something is a \`POST\` with its input as the JSON body, a query is a \`GET\` with \`?input=<JSON>\`; both carry \`Authorization: Bearer <API key>\`.

**Answers.** Success is \`{"result":{"data":{…}}}\`. Every expected result is such a value, distinguished by \`outcome\`; an error is \`{"error":{…}}\` with a status of 400 or more and \`error.data.reason\`. Answers may gain fields: ignore those you do not know. Unknown fields of an input are refused. Every answer carries \`X-Request-Id\`.

**Time.** Durations (\`…Ms\`) are milliseconds. Instants (\`…At\`, \`at\`) are epoch milliseconds of the backend’s clock, each with its \`…InMs\` for callers whose clock differs.

**Tokens.** Every grant of a lock has a fencing token, a positive integer below 2^53 that rises with every grant. A holder that was paused may still write after its lease has ended; only the guarded resource can reject that write, by its token.

**Limits.** A body has at most 256 KB; the address and the headers together have at most 64 KB. Texts are counted in bytes of UTF-8, must be well-formed and have no NUL. A lease is 100 ms to 24 h, a wait at most 10 min, a queue at most 200, unless the policy of the namespace says otherwise. A request is held open for at most 25 s.

**Batches.** \`POST /lock.release,lock.release?batch=1\` with \`{"0":{…},"1":{…}}\` carries up to 20 calls, all of one kind, none of which may wait. Each is answered on its own in an array; the status is 207 where they differ.`;

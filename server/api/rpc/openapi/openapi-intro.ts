/** What is true of every procedure, in words. */
export const OPENAPI_INTRO = `A procedure that changes something is a \`POST\` with its input as the JSON body, a query is a \`GET\` with \`?input=<JSON>\`; both carry \`Authorization: Bearer <API key>\`.

**Answers.** Success is \`{"result":{"data":{…}}}\`. Everything that a caller has to expect is such a value, told apart by \`outcome\`; a refusal is \`{"error":{…}}\` with a status of 400 or more and \`error.data.reason\`. Answers may gain fields: pass over those you do not know. Fields of an input that are not described here are refused. Every answer carries \`X-Request-Id\`.

**Time.** Durations (\`…Ms\`) are milliseconds. Instants (\`…At\`, \`at\`) are epoch milliseconds of the database’s clock, each with its \`…InMs\` for callers whose clock differs.

**Tokens.** Every grant of a lock has a fencing token, a positive integer below 2^53 that rises for ever. A holder that is paused may still write after its lease; only the guarded resource can refuse that, by its token.

**Limits.** A body has at most 256 KB; address and headers together 64 KB. Texts are counted in bytes of UTF-8, must be well-formed and have no NUL. A lease is 100 ms to 24 h, a wait at most 10 min, a queue at most 200, unless the policy of the namespace says otherwise. A request is held open for at most 25 s.

**Batches.** \`POST /lock.release,lock.release?batch=1\` with \`{"0":{…},"1":{…}}\` carries up to 20 calls, all of one kind, none of which may wait. Each is answered on its own in an array; the status is 207 where they differ.`;

/** A shell command that calls a procedure, with the key taken from the environment. */
export function curlCommand(
  origin: string,
  { name, method, example }: { name: string; method: 'GET' | 'POST'; example: unknown },
): string {
  const address = `${origin}/api/v1/${name}`;
  const key = `  -H "Authorization: Bearer $LOCKYARD_API_KEY" \\`;
  const input = quoted(inputText(example));
  if (method === 'GET') {
    return [`curl -sS -G ${address} \\`, key, `  --data-urlencode input=${input}`].join('\n');
  }
  const type = `  -H 'Content-Type: application/json' \\`;
  return [`curl -sS ${address} \\`, key, type, `  -d ${input}`].join('\n');
}

const LINE_CHARS = 52;

/** As JSON, over several lines where one would be too long to see. */
function inputText(example: unknown): string {
  const text = JSON.stringify(example);
  if (text.length <= LINE_CHARS) return text;
  return JSON.stringify(example, null, 2).replaceAll('\n', '\n  ');
}

/** A text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

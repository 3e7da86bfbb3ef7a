/** A shell line that acquires a lock for two minutes, with any name. */
export function acquireCommand(namespace: string, name: string): string {
  const input = { namespace, name, owner: 'my-shell', leaseMs: 120_000 };
  return [
    'curl -sS "$LOCKYARD_URL/api/v1/lock.acquire" \\',
    '  -H "Authorization: Bearer $LOCKYARD_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(input))}`,
  ].join('\n');
}

/** A text quoted as one word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A shell line that takes a lock for two minutes. Without a key it says where the key belongs. */
export function acquireCommand(origin: string, key: string | null): string {
  return [
    `curl -s ${origin}/api/v1/lock.acquire \\`,
    `  -H 'Authorization: Bearer ${key ?? 'YOUR_KEY'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"name":"first-lock","owner":"my-shell","leaseMs":120000}'`,
  ].join('\n');
}

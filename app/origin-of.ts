/** The address by which the browser reached a page's server, as far as its request tells. */
export function originOf(headers: { get(name: string): string | null }): string {
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.get('host') ?? 'localhost'}`;
}

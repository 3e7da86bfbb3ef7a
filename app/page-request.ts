import { nameFromPath } from '@/server/core/paths/console-path';

/** A page's query as Next passes it. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The same with one value per name: the first if there are several. */
export async function searchParamsOf(params: SearchParams): Promise<URLSearchParams> {
  const pairs = Object.entries(await params).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first]];
  });
  return new URLSearchParams(pairs);
}

/** The origin at which the browser reached this server, as far as its request shows. */
export function originOf(headers: { get(name: string): string | null }): string {
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.get('host') ?? 'localhost'}`;
}

/** The lock or counter in a page's path, not yet checked. */
export async function pathNamesOf(params: Promise<{ namespace: string; name: string }>) {
  const { namespace, name } = await params;
  return { namespace: nameFromPath(namespace), name: nameFromPath(name) };
}

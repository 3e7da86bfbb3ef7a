/** A page's query as Next gives it. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The same as one value a name, the first where it is given twice. */
export async function searchParamsOf(params: SearchParams): Promise<URLSearchParams> {
  const pairs = Object.entries(await params).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first]];
  });
  return new URLSearchParams(pairs);
}

import type { ChosenNames, DeletionAnswer } from '../../contract/console/deletion-inputs';

/**
 * Deletes the chosen names request by request, and yields each answer, until `atMost` names are
 * deleted or no more can be. No name is tried twice.
 *
 * @param request deletes up to `atMost` of the names that are `left`
 * @param isStopped read before each request: true ends the generator
 */
export async function* deletionRequests<C extends Pick<ChosenNames, 'names'>>(
  chosen: C,
  atMost: number,
  request: (left: C, atMost: number) => Promise<DeletionAnswer>,
  isStopped: { readonly current: boolean } = { current: false },
): AsyncGenerator<DeletionAnswer, void> {
  let deleted = 0;
  for (let left: C | null = chosen; left && deleted < atMost && !isStopped.current; ) {
    const answer: DeletionAnswer = await request(left, atMost - deleted);
    deleted += answer.deleted;
    left = answer.more && answer.deleted > 0 ? untriedNames(left, answer.results) : null;
    yield answer;
  }
}

/**
 * The chosen names that are left after a request has tried some of them; null: none. A prefix does
 * not change: the names that it matches are looked up each time.
 */
export function untriedNames<C extends { names?: string[] | undefined }>(
  chosen: C,
  results: readonly { name: string }[],
): C | null {
  if (!chosen.names) return chosen;
  const tried = new Set(results.map(({ name }) => name));
  const names = chosen.names.filter((name) => !tried.has(name));
  return names.length > 0 ? { ...chosen, names } : null;
}

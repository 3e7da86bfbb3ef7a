import type { ChosenNames, DeletionAnswer } from '../../contract/console/deletion-inputs';
import { untriedNames } from './untried-names';

/**
 * Deletes the chosen names request after request, and yields each answer: until as many are gone as
 * were asked for, or no more can go. No name is tried twice.
 *
 * @param request deletes at most so many of these
 * @param isStopped read before each request: true ends it
 */
export async function* deletionRequests<C extends Pick<ChosenNames, 'names'>>(
  chosen: C,
  atMost: number,
  request: (left: C, atMost: number) => Promise<DeletionAnswer>,
  isStopped: { readonly current: boolean } = { current: false },
): AsyncGenerator<DeletionAnswer, void> {
  let gone = 0;
  for (let left: C | null = chosen; left && gone < atMost && !isStopped.current; ) {
    const answer: DeletionAnswer = await request(left, atMost - gone);
    gone += answer.deleted;
    left = answer.more && answer.deleted > 0 ? untriedNames(left, answer.results) : null;
    yield answer;
  }
}

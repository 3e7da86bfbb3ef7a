import { MINUTE_MS } from '@/server/core/time-units';
import { decodeRecord } from '@/server/storage/codec/record-codec';
import type { Deletion, Step } from './sim-database';

/** Where tokens and revs of a new lock start. Repeated here, not imported from the tested code. */
const ERA_AT = Date.UTC(2025, 0, 1);
const FIRST_EPOCH = 2 ** 41;

/** How far below these the tokens and revs of a deleted lock must be. */
const MARGIN_MS = 10 * MINUTE_MS;

/** How long the loss of a hold must be remembered, and how long a deleted lock must be idle. */
const LOSS_KEPT_MS = 60 * MINUTE_MS;
const IDLE_MS = 5 * MINUTE_MS;

/** Reports every lock that is deleted too early. */
export class DeletionReferee {
  /** By lock, the answers that were ever stored about it. */
  private readonly answers = new Map<string, Set<string>>();

  /** Called with every step of a lock. */
  watch(id: string, { answers }: Step): void {
    const known = this.answers.get(id) ?? new Set();
    this.answers.set(id, known);
    for (const key of answers) known.add(key);
  }

  /**
   * What is wrong with a deletion.
   *
   * @param lastToken the highest token that this lock was ever granted
   * @param answerUntil until when an answer is stored; 0: it is not
   */
  violations(
    id: string,
    { before, at, isByOperator }: Deletion,
    lastToken: number,
    answerUntil: (key: string) => number,
  ): string[] {
    const { record } = decodeRecord(before);
    const { holds, offers, queue, frozen, delayedUntil, ended, rev } = record;
    const isLost = ended?.cause === 'expired' || ended?.cause === 'forced';
    const ends = holds.map(({ expiresAt }) => expiresAt);
    const lostAt = Math.max(isLost ? ended.at : 0, ...ends);
    const usedAt = Math.max(ended?.at ?? 0, ...ends);
    const firstOfNew = at - ERA_AT - MARGIN_MS;
    const counter = lastToken === 0 ? 0 : lastToken - FIRST_EPOCH;
    const isAnswerStored = [...(this.answers.get(id) ?? [])].some((key) => answerUntil(key) > at);
    const wrong: [boolean, string][] = [
      [ends.some((end) => end > at), 'held'],
      [queue.length + offers.length > 0, 'waited for'],
      [frozen !== null, 'frozen'],
      [delayedUntil > at, 'delayed'],
      [at < lostAt + LOSS_KEPT_MS, 'lost within the hour'],
      [isAnswerStored, 'the subject of a stored answer'],
      [counter > firstOfNew, 'ahead of the clock with its tokens'],
      [rev > firstOfNew, 'ahead of the clock with its revs'],
      [!isByOperator && at < usedAt + IDLE_MS, 'not idle'],
    ];
    return wrong.flatMap(([isWrong, how]) => (isWrong ? [`${id} was deleted while ${how}`] : []));
  }
}

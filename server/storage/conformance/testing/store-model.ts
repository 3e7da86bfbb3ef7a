import type { IdempotencyRecord } from '../../../core/decision';
import { recordId } from '../../record-id';
import type { Change, ObsoleteRecord, RecordKey, StoredRecord } from '../../record-store';

/** The content that a store should have after each step, by the contract of `RecordStore`. */
export class StoreModel {
  readonly records = new Map<string, StoredRecord>();
  readonly answers = new Map<string, IdempotencyRecord>();
  /** The revs of each record's commits that have events, oldest first. */
  readonly commits = new Map<string, number[]>();

  record(key: RecordKey): StoredRecord | null {
    return this.records.get(recordId(key)) ?? null;
  }

  /** @param now far from the ends of its window */
  mayApply({ key, expect, clock, unanswered = [] }: Change, now: number): boolean {
    const { rev, writer } = this.record(key) ?? {};
    const isExpected = rev === expect?.rev && writer === expect?.writer;
    const isTimely = clock.past <= now && now < clock.ahead;
    return isExpected && isTimely && !unanswered.some((request) => this.answers.has(request));
  }

  apply({ key, rev, writer, head, queue, events, storedAnswers, extensions }: Change): void {
    const id = recordId(key);
    this.records.set(id, { rev, writer, head, queue: queue ?? this.record(key)?.queue ?? '' });
    for (const storedAnswer of storedAnswers) this.answers.set(storedAnswer.key, storedAnswer);
    for (const { keys, expiresAt } of extensions) {
      for (const storedAnswer of keys.flatMap((request) => this.answers.get(request) ?? [])) {
        this.answers.set(storedAnswer.key, {
          ...storedAnswer,
          expiresAt: Math.max(storedAnswer.expiresAt, expiresAt),
        });
      }
    }
    if (events.length > 0) this.commits.set(id, [...(this.commits.get(id) ?? []), rev]);
  }

  /** Returns whether it was deleted. */
  delete({ key, rev, writer, notBefore = 0 }: ObsoleteRecord, now: number): boolean {
    const found = this.record(key);
    const isThat = found?.rev === rev && found.writer === writer && now >= notBefore;
    return isThat && this.records.delete(recordId(key));
  }
}

import type { IdempotencyRecord } from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import { differenceBeyondTime } from './difference-beyond-time';
import type { Prediction } from './pure-model';

/** Adds the empty values, which the history omits. */
const withDefaults = (event: RecordEvent) => ({
  owner: '',
  token: 0,
  waitedMs: 0,
  meta: {},
  ...event,
});

/** How two outcomes of one step may differ. */
export interface Tolerance {
  /** How far instants and durations may be apart. */
  slackMs: number;
  /** Whether the step created a record, whose first rev and token come from the clock. */
  isCreated: boolean;
  /** Answers that have expired by then may be stored or not. */
  now: number;
}

/**
 * The first difference between two outcomes of one step; null if they are the same within the
 * tolerance.
 */
export function predictionDifference(
  here: Prediction,
  there: Prediction,
  may: Tolerance,
): string | null {
  const isRemembered = ([, storedAnswer]: [string, IdempotencyRecord]) =>
    storedAnswer.expiresAt > may.now + may.slackMs;
  const plain = ({ answered, records, storedAnswers, events }: Prediction) => ({
    answered,
    records: Object.fromEntries(records),
    storedAnswers: Object.fromEntries([...storedAnswers].filter(isRemembered)),
    events: Object.fromEntries([...events].map(([id, all]) => [id, all.map(withDefaults)])),
  });
  return differenceBeyondTime(plain(here), plain(there), may);
}

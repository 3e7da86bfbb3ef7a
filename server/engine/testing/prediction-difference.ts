import type { IdempotencyRecord } from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import { differenceBeyondTime } from './difference-beyond-time';
import type { Prediction } from './pure-model';

/** The history leaves out what is empty. */
const withDefaults = (event: RecordEvent) => ({
  owner: '',
  token: 0,
  waitedMs: 0,
  meta: {},
  ...event,
});

/** What may differ between two consequences of one step. */
export interface Tolerance {
  /** How far instants and spans may be apart. */
  slackMs: number;
  /** A record of the step was not there before: its first rev and token come from the clock. */
  isCreated: boolean;
  /** Answers that have lapsed by now may be gone or not. */
  now: number;
}

/**
 * Where two consequences of one step differ; null where they are the same but for what `may`
 * allows.
 */
export function predictionDifference(
  here: Prediction,
  there: Prediction,
  may: Tolerance,
): string | null {
  const isRemembered = ([, memo]: [string, IdempotencyRecord]) =>
    memo.expiresAt > may.now + may.slackMs;
  const plain = ({ answered, records, memos, events }: Prediction) => ({
    answered,
    records: Object.fromEntries(records),
    memos: Object.fromEntries([...memos].filter(isRemembered)),
    events: Object.fromEntries([...events].map(([id, all]) => [id, all.map(withDefaults)])),
  });
  return differenceBeyondTime(plain(here), plain(there), may);
}

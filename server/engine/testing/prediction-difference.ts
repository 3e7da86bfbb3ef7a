import type { Memo } from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import { difference } from './difference-beyond-time';
import type { Consequence } from './pure-model';

/** The history leaves out what is empty. */
const spelledOut = (event: RecordEvent) => ({
  owner: '',
  token: 0,
  waitedMs: 0,
  meta: {},
  ...event,
});

/** What may differ between two consequences of one step. */
export interface Allowance {
  /** How far instants and spans may be apart. */
  slackMs: number;
  /** A record of the step was not there before: its first rev and token come from the clock. */
  isBorn: boolean;
  /** Answers that have lapsed by now may be gone or not. */
  now: number;
}

/**
 * Where two consequences of one step differ; null where they are the same but for what `may`
 * allows.
 */
export function contradiction(
  here: Consequence,
  there: Consequence,
  may: Allowance,
): string | null {
  const isKept = ([, memo]: [string, Memo]) => memo.expiresAt > may.now + may.slackMs;
  const plain = ({ told, records, memos, events }: Consequence) => ({
    told,
    records: Object.fromEntries(records),
    memos: Object.fromEntries([...memos].filter(isKept)),
    events: Object.fromEntries([...events].map(([id, told]) => [id, told.map(spelledOut)])),
  });
  return difference(plain(here), plain(there), may);
}

import type { RecordEvent } from '../../domain/record-event';
import type { Consequence } from './pure-model';
import { difference } from './same-but-for-instants';

/** The history leaves out what is empty. */
const spelledOut = (event: RecordEvent) => ({
  owner: '',
  token: 0,
  waitedMs: 0,
  meta: {},
  ...event,
});

/** Where two consequences of one step differ; null where they are the same but for what `may` allows. */
export function contradiction(
  here: Consequence,
  there: Consequence,
  may: { slackMs: number; isBorn: boolean },
): string | null {
  const plain = ({ told, records, memos, events }: Consequence) => ({
    told,
    records: Object.fromEntries(records),
    memos: Object.fromEntries(memos),
    events: Object.fromEntries([...events].map(([id, told]) => [id, told.map(spelledOut)])),
  });
  return difference(plain(here), plain(there), may);
}

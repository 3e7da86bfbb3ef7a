import type { Meta } from '../../../contract/primitives';
import type { Hold, LockRecord } from '../../../core/lock/lock-record';

/** How many texts are remembered for sharing. A full cache is emptied. */
const SHARED_MAX = 20_000;

const NOTHING: never[] = [];

/**
 * Copies records without the parts that pages do not show, and stores values that occur in many of
 * them only once: a hundred thousand locks are held by far fewer callers.
 */
export class RecordCompactor {
  private readonly texts = new Map<string, string>();
  private readonly metas = new Map<string, Meta>();

  compact(record: LockRecord): LockRecord {
    const { holds, offers, queue, departed } = record;
    return {
      ...record,
      holds: holds.length > 0 ? holds.map((hold) => this.hold(hold)) : NOTHING,
      offers: offers.length > 0 ? offers : NOTHING,
      queue: queue.length > 0 ? queue : NOTHING,
      departed: departed.length > 0 ? departed : NOTHING,
    };
  }

  private hold(hold: Hold): Hold {
    return {
      ...hold,
      service: intern(this.texts, hold.service, hold.service),
      owner: intern(this.texts, hold.owner, hold.owner),
      meta: intern(this.metas, metaKey(hold.meta), hold.meta),
      requests: NOTHING,
    };
  }
}

function intern<V>(known: Map<string, V>, text: string, value: V): V {
  const first = known.get(text);
  if (first !== undefined) return first;
  if (known.size >= SHARED_MAX) known.clear();
  known.set(text, value);
  return value;
}

/** Keys and values of a meta do not contain this character. */
function metaKey(meta: Meta): string {
  let text = '';
  for (const key in meta) text += `${key}\0${meta[key]}\0`;
  return text;
}

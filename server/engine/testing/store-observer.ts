import type { RecordEvent } from '../../core/record-event';
import { creation, update } from '../../storage/conformance/testing/changes';
import { recordId } from '../../storage/record-id';
import type { Change, RecordKey } from '../../storage/record-store';
import { type AnyRecord, recordTypeOf } from '../record-type';
import type { ModelledBackend } from './modelled-backend';
import type { Prediction } from './pure-model';

const CLOCK: RecordKey = { namespace: 'none', name: 'clock' };

/** Reads the stores of a backend directly, without its engine. */
export class StoreObserver {
  /** The positions in the history of each store. */
  private readonly positions: number[];
  /** The last write that showed the clock. */
  private tick: Change | null = null;

  /** @param inPlay names whose history counts: others still change as time passes */
  constructor(
    private readonly backend: Pick<ModelledBackend, 'stores' | 'homeOf'>,
    private readonly inPlay: () => string[],
  ) {
    this.positions = backend.stores.map(() => 0);
  }

  /**
   * The present instant of the clock that all stores share. Where reads show only a lower bound of
   * it, that of a write.
   */
  async now(): Promise<number> {
    const [store] = this.backend.stores;
    if (!store?.estimatesClock) return (await store?.read([CLOCK], []))?.records[0]?.now ?? 0;
    this.tick = this.tick ? update(CLOCK, this.tick) : creation(CLOCK);
    const [written] = await store.swap([this.tick]);
    if (!written?.applied) throw new Error('The clock could not be read.');
    return written.now;
  }

  /** These records and answers, and the history of the names in play since the last call. */
  async read(keys: RecordKey[], requestKeys: string[]): Promise<Omit<Prediction, 'answered'>> {
    const { stores, homeOf } = this.backend;
    const records = new Map<string, AnyRecord | null>();
    const storedAnswers: Prediction['storedAnswers'] = new Map();
    for (const [place, store] of stores.entries()) {
      const stored = await store.read(keys, requestKeys);
      for (const { key, record } of stored.records) {
        const found = record && recordTypeOf(key).decode(record).record;
        if (homeOf(key) === place) records.set(recordId(key), found);
        else if (found) records.set(`${recordId(key)} astray`, found);
      }
      for (const storedAnswer of stored.storedAnswers)
        storedAnswers.set(storedAnswer.key, storedAnswer);
    }
    return { records, storedAnswers, events: await this.newHistory() };
  }

  private async newHistory(): Promise<Map<string, RecordEvent[]>> {
    const found = new Map<string, RecordEvent[]>();
    const inPlay = new Set(this.inPlay());
    for (const [place, store] of this.backend.stores.entries()) {
      for (const { id, changes } of await store.historyAfter(this.positions[place] ?? 0, 1_000)) {
        this.positions[place] = id;
        for (const { key, events } of changes.filter((each) => inPlay.has(each.key.name))) {
          const earlier = found.get(recordId(key)) ?? [];
          found.set(recordId(key), [...earlier, ...events]);
        }
      }
    }
    return found;
  }
}

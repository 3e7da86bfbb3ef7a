import type { RecordEvent } from '../../core/record-event';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { type AnyRecord, machineOf } from '../record-type';
import type { PlayedBackend } from './modelled-backend';
import type { Consequence } from './pure-model';

/** What the stores of a backend keep, as one sees it who does not go through its engine. */
export class SeenPastEngines {
  /** In the history of each store. */
  private readonly positions: number[];

  constructor(private readonly backend: Pick<PlayedBackend, 'stores' | 'homeOf'>) {
    this.positions = backend.stores.map(() => 0);
  }

  /** The clock of all stores. */
  async now(): Promise<number> {
    const key = { namespace: 'nobody', name: 'nobody' };
    const read = await this.backend.stores[0]?.read([key], []);
    return read?.records[0]?.now ?? 0;
  }

  /** These records, answers, and all history since it was last asked for. */
  async look(keys: RecordKey[], requestKeys: string[]): Promise<Omit<Consequence, 'told'>> {
    const { stores, homeOf } = this.backend;
    const records = new Map<string, AnyRecord | null>();
    const memos: Consequence['memos'] = new Map();
    for (const [place, store] of stores.entries()) {
      const kept = await store.read(keys, requestKeys);
      for (const { key, record } of kept.records) {
        const found = record && machineOf(key).decode(record).record;
        if (homeOf(key) === place) records.set(recordId(key), found);
        else if (found) records.set(`${recordId(key)} astray`, found);
      }
      for (const memo of kept.memos) memos.set(memo.key, memo);
    }
    return { records, memos, events: await this.newHistory() };
  }

  private async newHistory(): Promise<Map<string, RecordEvent[]>> {
    const found = new Map<string, RecordEvent[]>();
    for (const [place, store] of this.backend.stores.entries()) {
      for (const { id, changes } of await store.historyAfter(this.positions[place] ?? 0, 1_000)) {
        this.positions[place] = id;
        for (const { key, events } of changes) {
          const kept = found.get(recordId(key)) ?? [];
          found.set(recordId(key), [...kept, ...events]);
        }
      }
    }
    return found;
  }
}

import type { Bounds } from '../../contract/counter-bounds';
import type { AddCommand, CreateCommand } from '../../core/counter/counter-command';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { Store } from '../../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../../storage/record-store';
import { requestIdentity } from '../request-identity';
import type { EngineOwner } from './engine-rig';

const PARTY = { service: 'orders' };

export function createCommand(initial = 0, bounds: Partial<Bounds> = {}): CreateCommand {
  const limits = { floor: null, ceiling: null, ...bounds };
  return { verb: 'create', initial, ...limits, party: PARTY, request: null };
}

/** An add as a service sends it. */
function addCommand(key: RecordKey, delta: number, requestId?: string): AddCommand {
  const { namespace, name } = key;
  const request =
    requestId === undefined
      ? null
      : requestIdentity({
          ...PARTY,
          verb: 'counter.add',
          namespace,
          name,
          requestId,
          input: { delta },
        });
  return { verb: 'add', delta, party: PARTY, request };
}

export const addTo = ({ engine }: EngineOwner, key: RecordKey, delta: number, requestId?: string) =>
  engine.count(key, addCommand(key, delta, requestId));

export const readCounter = ({ engine }: EngineOwner, key: RecordKey) =>
  engine.count(key, { verb: 'get' });

/** The history of counters, each in the order of its revs, by name. */
export async function counterEventsByName(store: Store): Promise<Map<string, CounterEvent[]>> {
  const found = new Map<string, CounterEvent[]>();
  for (let after = 0; ; ) {
    const rows = await store.historyAfter(after, 500);
    if (rows.length === 0) break;
    for (const { id, changes } of rows) {
      after = id;
      for (const { key, events } of changes) {
        if (key.kind !== 'counter') continue;
        const moves = found.get(key.name) ?? [];
        found.set(key.name, moves);
        moves.push(...(events as CounterEvent[]));
      }
    }
  }
  for (const moves of found.values()) moves.sort((a, b) => a.rev - b.rev);
  return found;
}

import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { Hold, Waiter } from '../../core/lock/lock-record';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { BackendState } from '../projection/monitored-backend';
import { ProjectionRow } from '../projection/projection-row';
import { TableRig } from '../testing/table-rig';
import { PastFleet } from './past-fleet';

const AT = 1_000_000_000;

/** A lock with one holder and one waiter. */
function lockOf(
  name: string,
  backend: string,
  at: number,
  owners: [holder: string, waiter: string],
) {
  const rig = new TableRig();
  rig.store(name, { waiters: 1 });
  const { record, key } = [...rig.truth.values()][0] as ProjectionRow;
  const [holder, waiter] = owners;
  const hold = { ...(record.holds[0] as Hold), owner: holder };
  const wait = { ...(record.queue[0] as Waiter), owner: waiter };
  const source = { id: backend, publicId: backend };
  return ProjectionRow.of(source, key, at, { ...record, holds: [hold], queue: [wait] });
}

const backendOf = (id: string, clockOffsetMs: number): BackendState => ({
  id,
  engine: {
    health: () => {
      return { id, kind: 'mysql', reachable: true, latencyMs: 1, silentForMs: 0, clockOffsetMs };
    },
  },
});

it('a deadlock over two backends is shown as of then, also where their clocks have drifted since', async () => {
  const policy = DEFAULT_POLICY;
  const fleet = await PastFleet.of({
    at: AT,
    // Read by clocks that were two and five milliseconds apart from what they are now.
    rows: [lockOf('a', 'one', AT + 12, ['p', 'q']), lockOf('b', 'two', AT + 25, ['q', 'p'])],
    backends: [backendOf('one', 10), backendOf('two', 20)],
    namespaces: { policyOf: () => policy },
    baselines: {
      hasDeaths: false,
      of: () => ({ ownHold: null, gaveUpAt: 0, policy }),
      reportsOn: () => [],
    },
    clock: { now: () => AT, monotonic: () => AT },
    slice: () => new TimeSlice(() => AT),
  });
  const { heads } = await fleet.waitGraph();
  expect(heads).toHaveLength(1);
  expect(heads[0]?.deadlock?.steps).toHaveLength(2);
});

import { expect, it } from 'vitest';
import { PROCESSES_SHOWN } from '../../contract/console/waits/holder-rows';
import type { Hold } from '../../core/lock/lock-record';
import { livenessOf, type WitnessReport } from '../../core/status/holder-liveness';
import type { BackendState } from '../projection/monitored-backend';
import { TableRig } from '../testing/table-rig';
import { HolderView } from './holder-view';
import { WaitWatch } from './wait-watch';

const DEAD = 'dead-1';

it('a dead process comes first by the clock of its backend, which may be ahead', async () => {
  const rig = new TableRig();
  rig.clockOffsetMs = 60_000;
  const { table } = rig;
  const clock = { now: () => rig.now, monotonic: () => rig.now };
  const health = () => ({ reachable: true, clockOffsetMs: rig.clockOffsetMs });
  const backends = [{ id: 'default', engine: { health } }] as unknown as BackendState[];
  const statusOf = () => 'held' as const;
  const blockedBy = () => ({ callers: 0, sinceSum: 0 });
  const waits = new WaitWatch({ table, backends, clock, statusOf, blockedBy });
  // Another witness called it alive just now by the clock of this server, a minute ago by that one.
  const at = rig.now;
  const reported = { firstAt: at, at, since: at, evidence: '' };
  const reports: WitnessReport[] = [
    { ...reported, kind: 'url', witness: 'pods', state: 'dead' },
    { ...reported, kind: 'url', witness: 'runs', state: 'alive' },
  ];
  const reportsOn = ({ owner }: Hold) => (owner === DEAD ? reports : []);
  const verdictOn = (_: string, hold: Hold, now: number) => livenessOf(hold, reportsOn(hold), now);
  const evidence = { hasDeaths: true, verdictOn };
  const view = new HolderView({
    ...{ table, backends, clock, waits, evidence, statusOf },
    lockDelayMsOf: () => 0,
  });
  const heldMs = 120_000;
  for (let i = 0; i < PROCESSES_SHOWN; i += 1) {
    for (const name of [`a${i}`, `b${i}`]) rig.store(name, { owner: `p${i}`, heldMs });
  }
  rig.store('orphan', { owner: DEAD, heldMs });
  const { rows } = await view.page();
  expect(rows[0]).toMatchObject({ owners: [DEAD], verdict: { state: 'dead' } });
});

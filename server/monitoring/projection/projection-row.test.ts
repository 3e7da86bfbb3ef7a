import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { LockRecord } from '../../core/lock/lock-record';
import type { WitnessReport } from '../../core/status/holder-liveness';
import { acquire, renew } from '../../core/testing/lock-requests';
import { LockWorld } from '../../core/testing/lock-world';
import { ProjectionRow, toLockRowAt } from './projection-row';

const POLICY = { ...DEFAULT_POLICY, stuckAfterMs: 30_000 };

/** Two that share a lock: the one that has held it for a minute ends first. */
function shared(waits: boolean, renewedMs = 0) {
  const world = new LockWorld();
  const take = (owner: `orders/${string}`, leaseMs: number) => {
    const answer = world.run(acquire(owner, { mode: 'shared', leaseMs, meta: { pod: owner } }));
    return answer.outcome === 'granted' ? answer.token : 0;
  };
  const token = take('orders/long', 70_000);
  if (renewedMs > 0) {
    world.pass(renewedMs);
    world.run(renew('orders/long', token, 75_000));
  }
  world.pass(60_000);
  take('orders/short', 60_000);
  if (waits) world.run(acquire('orders/writer', { waitMs: 60_000 }));
  world.pass(1_000);
  const source = { id: 'b', publicId: 'b' };
  const key = { namespace: 'default', name: 'job' };
  return ProjectionRow.of(source, key, world.now, world.record as LockRecord);
}

const baselines = { ownHold: null, gaveUp: null, policy: POLICY };

test('a lock is shown with the hold that makes it stuck or expiring, or is orphaned', () => {
  const [calm, stuck] = [shared(false), shared(true)];
  const plain = toLockRowAt(calm, baselines, calm.readAt, true);
  expect(plain).toMatchObject({ status: 'held', hold: { owner: 'short' } });
  expect(toLockRowAt(stuck, baselines, stuck.readAt, true)).toMatchObject({
    status: 'stuck',
    hold: { owner: 'long' },
  });
  const late = shared(false, 500);
  const row = toLockRowAt(late, baselines, late.readAt + 3_000, true);
  expect(row).toMatchObject({ status: 'expiring', hold: { owner: 'long' } });
  const dead: WitnessReport = {
    ...{ kind: 'url', witness: 'pods', state: 'dead', evidence: 'gone', since: null },
    ...{ firstAt: calm.readAt, at: calm.readAt },
  };
  const reportsOn = ({ owner }: { owner: string }) => (owner === 'long' ? [dead] : []);
  const orphaned = toLockRowAt(calm, { ...baselines, reportsOn }, calm.readAt, true);
  expect(orphaned).toMatchObject({ status: 'orphaned', hold: { owner: 'long' } });
});

import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquire,
  forceRelease,
  freeze,
  release,
  renew,
  unfreeze,
} from '../../testing/lock-requests';
import { LockWorld } from '../../testing/lock-world';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const take = () => {
  const answer = world.run(acquire('orders/w1'));
  return answer.outcome === 'granted' ? answer.token : 0;
};
const PATIENT = { waitMs: 60_000 };

describe('a frozen lock', () => {
  it('is not granted, and says why', () => {
    expect(world.run(freeze())).toMatchObject({ outcome: 'frozen' });
    expect(world.run(acquire('orders/w1'))).toEqual({ outcome: 'frozen', reason: 'a repair' });
    expect(world.run({ verb: 'inspect' })).toMatchObject({
      state: 'frozen',
      frozen: { by: 'ada', reason: 'a repair' },
    });
  });

  it('lets its holder renew, re-enter and release', () => {
    const token = take();
    world.run(freeze());
    expect(world.run(renew('orders/w1', token)).outcome).toBe('renewed');
    const again = acquire('orders/w1', { reentrant: true });
    expect(world.run(again)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(world.run(release('orders/w1', token)).outcome).toBe('decremented');
    expect(world.run(release('orders/w1', token)).outcome).toBe('released');
  });

  it('keeps its queue, and is granted to the first waiter when it is unfrozen', () => {
    const token = take();
    world.run(acquire('orders/w2', PATIENT));
    world.run(freeze());
    world.run(release('orders/w1', token));
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds).toEqual([]);
    expect(world.run(acquire('orders/w3', PATIENT))).toMatchObject({ outcome: 'queued', place: 2 });
    expect(world.run(unfreeze())).toMatchObject({ outcome: 'unfrozen' });
    expect(world.record?.holds).toMatchObject([{ owner: 'w2' }]);
  });

  it('revokes an offer; its waiter keeps its place', () => {
    const token = take();
    world.run(acquire('orders/w2', PATIENT), 'p2');
    world.run(release('orders/w1', token));
    expect(world.record?.offers).toHaveLength(1);
    world.run(freeze());
    expect(world.record?.offers).toEqual([]);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.holds).toEqual([]);
    world.pass(5_000);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.queue).toHaveLength(1);
    world.run(unfreeze());
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.holds).toMatchObject([{ owner: 'w2' }]);
  });

  it('stays frozen when its hold is force-released', () => {
    const token = take();
    world.run(acquire('orders/w2', PATIENT));
    world.run(freeze());
    const answer = world.run(forceRelease(token));
    expect(answer).toMatchObject({ outcome: 'forced', next: { kind: 'nobody' }, queueLength: 1 });
  });

  it('is not frozen twice: the first reason remains', () => {
    world.run(freeze('one'));
    const before = world.record;
    expect(world.run(freeze('two')).outcome).toBe('unchanged');
    expect(world.record).toBe(before);
    world.run(unfreeze('three'));
    expect(world.run(unfreeze('four')).outcome).toBe('unchanged');
  });

  it('is not unfrozen by an operator who saw an earlier freeze', () => {
    world.run(freeze('one'));
    const seenAt = world.record?.frozen?.at ?? 0;
    world.run(unfreeze('two'));
    world.pass(1_000);
    world.run(freeze('three'));
    const before = world.record;
    const late = { ...unfreeze('four'), seenAt };
    expect(world.run(late)).toEqual({
      outcome: 'otherFreeze',
      rev: before?.rev,
      frozen: before?.frozen,
    });
    expect(world.record).toBe(before);
    const present = { ...unfreeze('five'), seenAt: before?.frozen?.at ?? 0 };
    expect(world.run(present).outcome).toBe('unfrozen');
    expect(world.run({ ...unfreeze('six'), seenAt }).outcome).toBe('unchanged');
  });

  it('gives the same answer when an action is repeated', () => {
    const first = world.run(freeze('one'));
    world.run(unfreeze('two'));
    expect(world.run(freeze('one'))).toEqual(first);
    expect(world.record?.frozen).toBe(null);
  });

  it('answers `timeout` to a waiter whose patience ends', () => {
    world.run(freeze());
    const ask = acquire('orders/w1', { waitMs: 1_000, requestId: 'a' });
    expect(world.run(ask).outcome).toBe('queued');
    world.pass(1_000);
    expect(world.run(ask).outcome).toBe('timeout');
  });
});

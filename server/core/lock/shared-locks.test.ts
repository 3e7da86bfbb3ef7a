import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquire,
  cancel,
  detach,
  giveUp,
  release,
  renew,
  stopRenewals,
} from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { SHARED_MAX } from './lock-record';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const SHARED = { mode: 'shared' as const };
const PATIENT = { waitMs: 60_000 };

const take = (...[ask, process]: [Parameters<typeof acquire>, string?]) => {
  const answer = world.run(acquire(...ask), process);
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer;
};
const read = (owner: string) => take([`orders/${owner}`, SHARED]).token;
const owners = () => world.record?.holds.map(({ owner }) => owner);

describe('a shared lock', () => {
  it('is held by many readers, each with a token of its own', () => {
    const tokens = ['r1', 'r2', 'r3'].map(read);
    expect(new Set(tokens).size).toBe(3);
    expect(world.run({ verb: 'inspect' }).minValidToken).toBe(tokens[0]);
    for (const token of tokens) expect(world.run({ verb: 'check', token }).valid).toBe(true);
  });

  it('excludes a writer until the last reader has gone', () => {
    const first = read('r1');
    const second = read('r2');
    expect(world.run(acquire('orders/w')).outcome).toBe('held');
    world.run(acquire('orders/w', PATIENT));
    world.run(release('orders/r1', first));
    expect(owners()).toEqual(['r2']);
    world.run(release('orders/r2', second));
    expect(owners()).toEqual(['w']);
  });

  it('admits no reader ahead of a waiting writer: writers do not starve', () => {
    const token = read('r1');
    world.run(acquire('orders/w', PATIENT));
    expect(world.run(acquire('orders/r2', SHARED))).toMatchObject({ outcome: 'held' });
    expect(world.run(acquire('orders/r3', { ...SHARED, ...PATIENT }))).toMatchObject({ place: 2 });
    world.run(release('orders/r1', token));
    expect(owners()).toEqual(['w']);
  });

  it('is granted to all readers up to the next writer at once', () => {
    const { token } = take(['orders/w1']);
    for (const reader of ['r1', 'r2']) {
      world.run(acquire(`orders/${reader}`, { ...SHARED, ...PATIENT }));
    }
    world.run(acquire('orders/w2', PATIENT));
    world.run(acquire('orders/r3', { ...SHARED, ...PATIENT }));
    world.run(release('orders/w1', token));
    expect(owners()).toEqual(['r1', 'r2']);
    expect(world.record?.queue.map(({ owner }) => owner)).toEqual(['w2', 'r3']);
  });

  it('admits the readers behind a writer when the writer gives up', () => {
    read('r1');
    const writer = acquire('orders/w', PATIENT);
    world.run(writer);
    world.run(acquire('orders/r2', { ...SHARED, ...PATIENT }));
    world.run(giveUp(writer));
    expect(owners()).toEqual(['r1', 'r2']);
  });

  it('admits the readers behind a writer when the writer cancels', () => {
    read('r1');
    world.run(acquire('orders/w', { ...PATIENT, requestId: 'r' }));
    world.run(acquire('orders/r2', { ...SHARED, ...PATIENT }));
    world.run(cancel('orders/w', 'r'));
    expect(owners()).toEqual(['r1', 'r2']);
  });

  it('is offered to readers of other processes side by side, and each claims its own', () => {
    const { token } = take(['orders/w1']);
    const asks = ['r1', 'r2'].map((r) => acquire(`orders/${r}`, { ...SHARED, ...PATIENT }));
    asks.forEach((ask, i) => {
      world.run(ask, `p${i + 2}`);
    });
    world.run(release('orders/w1', token));
    expect(world.record?.offers).toHaveLength(2);
    world.run({ verb: 'expireAndPromote' }, 'p3');
    expect(owners()).toEqual(['r2']);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(owners()).toEqual(['r2', 'r1']);
    expect(world.record?.offers).toEqual([]);
  });

  it('keeps the place of a reader between two requests, and admits the next ones beside it', () => {
    const { token } = take(['orders/w1']);
    const away = acquire('orders/r1', { ...SHARED, ...PATIENT, requestId: 'r1' });
    world.run(away);
    world.run(detach(away));
    world.run(acquire('orders/r2', { ...SHARED, ...PATIENT }));
    world.run(release('orders/w1', token));
    expect(owners()).toEqual(['r2']);
    expect(world.run(acquire('orders/r3', { ...SHARED, ...PATIENT })).outcome).toBe('granted');
    expect(world.run(away).outcome).toBe('granted');
    expect(owners()).toEqual(['r2', 'r3', 'r1']);
  });

  it('loses one reader when its lease expires; the others remain', () => {
    const short = take(['orders/r1', { ...SHARED, leaseMs: 1_000 }]).token;
    const long = read('r2');
    world.pass(1_000);
    world.run({ verb: 'expireAndPromote' });
    expect(owners()).toEqual(['r2']);
    expect(world.run(renew('orders/r1', short))).toMatchObject({
      outcome: 'lost',
      cause: 'expired',
    });
    expect(world.run(renew('orders/r2', long)).outcome).toBe('renewed');
  });

  it('remembers the last of several holds that expire together', () => {
    const later = take(['orders/r1', { ...SHARED, leaseMs: 2_000 }]).token;
    const sooner = take(['orders/r2', { ...SHARED, leaseMs: 1_000 }]).token;
    world.pass(5_000);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.ended).toMatchObject({ token: later });
    const lost = world.run(renew('orders/r2', sooner));
    expect(lost).toMatchObject({ cause: 'superseded', at: world.now - 3_000 });
  });

  it('repeats its grant by request id, even if others hold it too by now', () => {
    const ask = acquire('orders/r1', { ...SHARED, requestId: 'a' });
    const first = world.run(ask);
    read('r2');
    const { token, rev } = first.outcome === 'granted' ? first : { token: 0, rev: 0 };
    expect(world.run(ask)).toMatchObject({ outcome: 'granted', token, rev });
    world.run(release('orders/r1', token));
    expect(world.run(ask)).toMatchObject({ outcome: 'ended', token, cause: 'released' });
  });

  it('can be re-entered by its owner only in the same mode, even while a writer waits', () => {
    const token = read('r1');
    world.run(acquire('orders/w', PATIENT));
    const again = acquire('orders/r1', { ...SHARED, reentrant: true });
    expect(world.run(again)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(world.run(acquire('orders/r1', { reentrant: true })).outcome).toBe('held');
  });

  it('is not prolonged by re-entry once its renewals are blocked', () => {
    const { token, expiresAt } = take(['orders/r1', SHARED]);
    world.run(stopRenewals(token));
    world.pass(1_000);
    const again = take([`orders/r1`, { ...SHARED, reentrant: true }]);
    expect(again).toMatchObject({ token, expiresAt });
  });

  it('has room for a bounded number of readers', () => {
    for (let i = 0; i < SHARED_MAX; i += 1) read(`r${i}`);
    expect(world.run(acquire('orders/one-more', SHARED)).outcome).toBe('held');
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Hold, type LockRecord, liveHolds } from '../lock/lock-record';
import type { AcquireMultiLockCommand, MultiLockMode } from '../multi-lock/multi-lock-command';
import { isFingerprintOf } from '../request-fingerprint';
import { acquire, release } from '../testing/lock-requests';
import {
  type Change,
  type MultiLockProposal,
  MultiLockWorld,
  multiLockOf,
} from '../testing/multi-lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

const NAMES = ['a', 'b', 'c', 'd'] as const;

const name = fc.constantFrom(...NAMES);
const mode = fc.constantFrom<MultiLockMode>('exclusive', 'exclusive', 'shared');
const process = fc.constantFrom('p1', 'p2');
const nth = fc.nat(20);

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('single' as const),
      name,
      mode,
      process,
      waits: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('set' as const),
      names: fc.uniqueArray(name, { minLength: 2, maxLength: 4 }),
      mode,
      process,
      waits: fc.boolean(),
      isNamed: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('again' as const),
      nth,
      process,
      isSlow: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('release' as const), nth }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 400, 1_500, 10_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('expireAndPromote' as const), name, process }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('leave' as const),
      nth,
      how: fc.constantFrom('hangUp' as const, 'giveUp' as const, 'cancel' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('write' as const), nth }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/**
 * Multi-locks and single acquires at two processes, some of which write long after they decided.
 */
class MultiLockCampaign {
  readonly world = new MultiLockWorld();
  readonly sets: { ask: AcquireMultiLockCommand; process: string }[] = [];
  private readonly holds: { name: string; hold: Hold }[] = [];
  private readonly slow: MultiLockProposal[] = [];
  private singles = 0;

  constructor() {
    this.world.onWrite = (changes) => this.judge(changes);
  }

  play(steps: Step[]): void {
    for (const taken of steps) this.take(taken);
  }

  private take(taken: Step): void {
    const { world, sets } = this;
    switch (taken.act) {
      case 'single': {
        this.singles += 1;
        const waitMs = taken.waits ? 3_000 : 0;
        world.run(
          taken.name,
          acquire(`orders/s${this.singles}`, { waitMs, mode: taken.mode }),
          taken.process,
        );
        return;
      }
      case 'set': {
        const [first = 'a'] = taken.names;
        const ask = multiLockOf(taken.names.join(''), {
          owner: `set${sets.length}`,
          waitMs: taken.waits ? 5_000 : 0,
          modes: { [first]: taken.mode },
          ...(taken.isNamed ? { requestId: `${sets.length}` } : {}),
        });
        sets.push({ ask, process: taken.process });
        world.runSet(ask, taken.process);
        return;
      }
      case 'again': {
        const set = sets.at(-1 - (taken.nth % Math.max(1, sets.length)));
        if (!set || (!set.ask.request.remembered && !this.isWaiting(set.ask))) return;
        const proposal = world.propose(
          set.ask,
          set.ask.request.remembered ? taken.process : set.process,
        );
        if (taken.isSlow) this.slow.push(proposal);
        else world.finish(proposal);
        return;
      }
      case 'write': {
        const [proposal] = this.slow.splice(taken.nth % Math.max(1, this.slow.length), 1);
        if (proposal) world.finish(proposal);
        return;
      }
      case 'release': {
        const held = this.holds.at(-1 - (taken.nth % Math.max(1, this.holds.length)));
        if (held) world.run(held.name, release(`orders/${held.hold.owner}`, held.hold.token));
        return;
      }
      case 'pass':
        world.now += taken.ms;
        return;
      case 'expireAndPromote':
        world.run(taken.name, { verb: 'expireAndPromote' }, taken.process);
        return;
      case 'leave': {
        const set = sets.at(-1 - (taken.nth % Math.max(1, sets.length)));
        if (!set) return;
        const { service, owner, locks, request } = set.ask;
        const names = locks.map((lock) => lock.name);
        if (taken.how === 'hangUp') world.hangUp(set.ask);
        else if (taken.how === 'giveUp')
          world.runSet({ ...set.ask, verb: 'giveUpSet' }, set.process);
        else world.runSet({ verb: 'cancelSet', service, owner, names, request }, set.process);
      }
    }
  }

  /** Checks every write, by what was written alone. */
  private judge(changes: Change[]): void {
    const granted: { name: string; hold: Hold; change: Change }[] = [];
    for (const change of changes) {
      const { before, after } = change;
      isSound(after);
      const known = new Set(before?.holds.map(({ token }) => token));
      for (const hold of after.holds) {
        if (known.has(hold.token)) continue;
        expect(hold.token).toBeGreaterThan(before?.lastToken ?? 0);
        granted.push({ name: change.name, hold, change });
        this.holds.push({ name: change.name, hold });
      }
      const live = liveHolds(after, this.world.now);
      if (live.some((hold) => hold.mode === 'exclusive')) expect(live).toHaveLength(1);
    }
    for (const { ask } of this.sets) {
      const mine = granted.filter(({ hold }) => hold.owner === ask.owner);
      if (mine.length > 0) this.isWhole(ask, mine);
      if (this.isWaiting(ask))
        expect(this.heldBy(ask), 'a waiting set holds something').toEqual([]);
    }
  }

  private isWhole(
    ask: AcquireMultiLockCommand,
    mine: { name: string; hold: Hold; change: Change }[],
  ): void {
    expect(mine.map((grant) => grant.name)).toEqual(ask.locks.map((lock) => lock.name).sort());
    expect(new Set(mine.map(({ hold }) => hold.set?.id)).size).toBe(1);
    expect(this.heldBy(ask), 'a set was granted twice').toHaveLength(ask.locks.length);
    for (const { change } of mine) {
      const place = change.before?.queue.find(({ tag }) => isFingerprintOf(tag, ask.request.key));
      const passed = change.after.queue.filter(
        ({ ticket, setSize }) =>
          setSize === undefined && ticket < (place?.ticket ?? Number.MAX_VALUE),
      );
      const offered = new Set(change.after.offers.map(({ ticket }) => ticket));
      expect(
        passed.filter(({ ticket }) => !offered.has(ticket)),
        'passed a single',
      ).toEqual([]);
    }
  }

  private isWaiting({ request }: AcquireMultiLockCommand): boolean {
    return [...this.world.records.values()].some(({ queue }) =>
      queue.some(({ tag }) => isFingerprintOf(tag, request.key)),
    );
  }

  private heldBy({ owner }: AcquireMultiLockCommand): Hold[] {
    return [...this.world.records.values()].flatMap(({ holds }) =>
      holds.filter((hold) => hold.owner === owner && hold.expiresAt > this.world.now),
    );
  }
}

/** Checks the invariants of `LockRecord`. */
function isSound({ queue, offers, holds }: LockRecord): void {
  const tickets = queue.map(({ ticket }) => ticket);
  expect(tickets).toEqual([...tickets].sort((a, b) => a - b));
  for (const { ticket } of offers) {
    expect(tickets).toContain(ticket);
    const isExclusive = queue.some((w) => w.ticket === ticket && w.mode === 'exclusive');
    if (isExclusive) expect([offers.length, holds.length]).toEqual([1, 0]);
  }
}

it(
  'promises 1 and 2 for multi-locks: all locks or none; a waiting one holds nothing',
  () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        new MultiLockCampaign().play(steps);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

it(
  'multi-locks that block one another are all granted, in any order of requests and offers',
  () => {
    const wanted = fc.array(fc.uniqueArray(name, { minLength: 2, maxLength: 4 }), {
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(wanted, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), (sets, order) => {
        const world = new MultiLockWorld();
        const blocker = NAMES.map((lock) => ({ lock, token: tokenOf(world, lock) }));
        const left = sets.map((names, i) => {
          const ask = multiLockOf(names.join(''), {
            owner: `set${i}`,
            waitMs: 60_000,
            leaseMs: 60_000,
          });
          world.now += i % 2;
          world.runSet(ask, `p${i % 3}`);
          return { ask, process: `p${i % 3}` };
        });
        for (const { lock, token } of blocker) world.run(lock, release('orders/x', token));
        let round = 0;
        const askAll = () => {
          round += 1;
          const first = order[round % order.length] ?? 0;
          for (const i of [...left.keys()]) {
            const set = left[(first + i) % left.length];
            if (!set) continue;
            const answer = world.runSet(set.ask, set.process);
            if (answer.outcome !== 'granted') continue;
            left.splice(left.indexOf(set), 1);
            return answer.grants.map((grant) => ({ ...grant, owner: set.ask.owner }));
          }
          return null;
        };
        while (left.length > 0) {
          const grants = askAll() ?? askAll();
          expect(grants, 'no caller was served though nothing is held').not.toBe(null);
          for (const { name: lock, owner, token } of grants ?? []) {
            world.run(lock, release(`orders/${owner}`, token));
          }
        }
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

function tokenOf(world: MultiLockWorld, lock: string): number {
  const answer = world.run(lock, acquire('orders/x', { leaseMs: 60_000 }));
  return answer.outcome === 'granted' ? answer.token : expect.unreachable();
}

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockyardError } from '../../contract/errors';
import type { LockCommand } from '../lock/lock-command';
import type { Hold, Waiter } from '../lock/lock-record';
import { Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { HoldLedger, holdsMoved } from '../testing/hold-ledger';
import { acquire, release } from '../testing/lock-requests';
import { LockWorld, type Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

/**
 * Keeps the capacity by itself, from what callers asked for and operators were answered, and counts
 * the permits of all holds that are live on the store's clock.
 */
class PermitReferee implements Referee {
  private readonly ledger = new HoldLedger();
  private capacity: number | null = null;
  grants = 0;

  onWritten(written: Written): void {
    const { before, after, writtenAt, command, decision } = written;
    this.ledger.onWritten(written);
    const { outcome } = decision.answer as { outcome?: string };
    if (command.verb === 'setCapacity' && outcome === 'capacitySet') {
      this.capacity = command.capacity;
    }
    if (!isCarriedOver(written)) this.capacity = null;
    const { granted } = holdsMoved(before, after);
    const added = [...granted, ...after.queue].some(hasPermits);
    if (this.capacity === null && added) {
      expect(command.verb, 'only an acquire brings the first permits').toBe('acquire');
      this.capacity = (command as { capacity?: number }).capacity ?? null;
    }
    let held = 0;
    for (const [token, { hold }] of this.ledger.entries) {
      if (this.ledger.isLive(token, writtenAt)) held += hold.permits ?? 0;
    }
    const news = granted.filter(({ mode }) => mode === 'permit');
    if (news.length > 0) {
      expect(held, 'permits beyond the capacity').toBeLessThanOrEqual(this.capacity ?? 0);
      expect(after.holds.every(({ mode }) => mode === 'permit')).toBe(true);
    }
    this.grants += news.length;
    if (![...after.holds, ...after.queue].some(hasPermits)) this.capacity = null;
    expect(after.capacity?.inForce ?? null).toBe(this.capacity);
  }

  onRefused(command: LockCommand, error: LockyardError): void {
    if (command.verb !== 'acquire' || error.capacity === undefined) return;
    expect(error.capacity).toBe(this.capacity);
  }
}

const hasPermits = ({ permits }: Hold | Waiter) => permits !== undefined;

/** Whether permits were held or waited for before, and by some of the same callers ever since. */
function isCarriedOver({ before, after, decision }: Written): boolean {
  const tokens = new Set(after.holds.map(({ token }) => token));
  const tags = new Set([...after.queue, ...decision.handOffs].map(({ tag }) => tag));
  const isHeld = before?.holds.some((hold) => hasPermits(hold) && tokens.has(hold.token));
  return isHeld || (before?.queue.some((one) => hasPermits(one) && tags.has(one.tag)) ?? false);
}

it(
  'permits never exceed the capacity, which the first caller sets and operators can change',
  () => {
    let grants = 0;
    fc.assert(
      fc.property(steps, (played) => {
        const referee = new PermitReferee();
        new Campaign([referee]).play(played);
        grants += referee.grants;
      }),
      RUNS,
    );
    expect(grants).toBeGreaterThan(0);
  },
  PROPERTY_MS,
);

const CAPACITY = 5;
const size = fc.integer({ min: 1, max: CAPACITY });

/** What callers of permits do: come, or give back the oldest or the newest hold. */
const moves = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ act: fc.constant('come' as const), size }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom({ act: 'oldest' as const }, { act: 'newest' as const }),
    },
  ),
  { minLength: 1, maxLength: 60 },
);

it(
  'permits are granted in exactly the order in which their callers came, whatever their number',
  () => {
    fc.assert(
      fc.property(moves, fc.boolean(), (played, isSpread) => {
        const world = new LockWorld();
        const granted: string[] = [];
        world.onWrite = ({ before, after }) => {
          granted.push(...holdsMoved(before, after).granted.map(({ owner }) => owner));
          const head: Waiter | undefined = after.queue[0];
          const left = after.holds.reduce((sum, { permits = 0 }) => sum - permits, CAPACITY);
          const isOffered = after.offers.some(({ ticket }) => ticket === head?.ticket);
          if (head) expect(isOffered || (head.permits ?? 0) > left, 'starved').toBe(true);
        };
        const came: string[] = [];
        for (const move of played) {
          const processes = isSpread ? ['p1', 'p2'] : ['p1'];
          if (move.act === 'come') {
            const owner = `w${came.length}`;
            const wanted = { mode: 'permit', permits: move.size, capacity: CAPACITY } as const;
            const ask = acquire(`orders/${owner}`, { ...wanted, waitMs: 600_000 });
            came.push(owner);
            world.run(ask, processes[came.length % processes.length]);
          } else {
            const hold = world.record?.holds.at(move.act === 'oldest' ? 0 : -1);
            if (hold) world.run(release(`orders/${hold.owner}`, hold.token));
          }
          for (const process of processes) world.run({ verb: 'expireAndPromote' }, process);
        }
        if (!isSpread) expect(granted).toEqual(came.slice(0, granted.length));
        expect([...granted].sort()).toEqual(came.slice(0, granted.length).sort());
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

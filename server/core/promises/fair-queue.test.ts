import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockCommand } from '../lock/lock-command';
import { DEPARTED_MAX, type LockRecord, type Waiter } from '../lock/lock-record';
import { isFingerprintOf } from '../request-fingerprint';
import { Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { holdsMoved } from '../testing/hold-ledger';
import { acquire, release } from '../testing/lock-requests';
import { LockWorld, type Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

const NO_RECORD: Pick<LockRecord, 'queue' | 'offers'> = { queue: [], offers: [] };

class QueueReferee implements Referee {
  /** Tickets of waiters to which an operator has reassigned the lock, until they claim it. */
  private readonly chosen = new Set<number>();
  /** How many were granted out of turn, by an operator's reassignment. */
  reassigned = 0;

  onWritten(written: Written): void {
    const { before, after, decision } = written;
    this.noteChosen(written);
    const { queue } = after;
    const tickets = queue.map(({ ticket }) => ticket);
    expect(tickets).toEqual([...tickets].sort((a, b) => a - b));
    expect(after.lastTicket).toBeGreaterThanOrEqual(Math.max(0, ...tickets));
    this.checkKept(written);

    const { granted } = holdsMoved(before, after);
    for (const { token, mode } of granted) {
      const handed = decision.handOffs.find(({ hold }) => hold.token === token);
      const served = before?.queue.find(({ tag }) => tag === handed?.tag);
      const isOvertaken = ({ ticket, ...waiter }: Waiter) =>
        ticket < (served?.ticket ?? Infinity) &&
        !(isOffered(after, ticket) && waiter.mode === mode);
      const overtaken = queue.filter(isOvertaken);
      if (this.chosen.has(served?.ticket ?? 0)) this.reassigned += Math.min(1, overtaken.length);
      else expect(overtaken, 'a waiter that was present was overtaken').toEqual([]);
      if (served) expect(isPatient(served, written.writtenAt)).toBe(true);
    }
    this.checkOffers(written);
    if (written.command.verb === 'detach') return;
    for (const waiter of queue) expect(isPresent(waiter, written)).toBe(true);
  }

  /** A waiter is chosen until it has left the queue, or its offer was revoked. */
  private noteChosen({ before, after, command, decision }: Written): void {
    for (const ticket of this.chosen) {
      const wasOffered = before !== null && isOffered(before, ticket);
      if (!wasOffered) this.chosen.delete(ticket);
    }
    const { outcome } = decision.answer as { outcome?: string };
    const isNew = decision.events.some(({ kind }) => kind === 'forced');
    if (command.verb === 'reassign' && outcome === 'reassigned' && isNew) {
      this.chosen.add(command.ticket);
      const others = (before?.queue ?? []).filter(({ ticket }) => ticket !== command.ticket);
      const kept = after.queue.filter(({ ticket }) => ticket !== command.ticket);
      const gone = others.filter(({ ticket }) => !kept.some((one) => one.ticket === ticket));
      expect(kept.map(({ ticket }) => ticket)).toEqual(
        others.filter((one) => !gone.includes(one)).map(({ ticket }) => ticket),
      );
    }
  }

  /**
   * Offers go to the first in the queue, or to whom an operator has chosen, and no waiter waits
   * while there is room; no offers while grants are stopped.
   */
  private checkOffers({ after, context, command }: Written): void {
    const { queue, offers, holds } = after;
    const isChosen = ({ ticket }: Waiter) => this.chosen.has(ticket) && isOffered(after, ticket);
    const order = [...queue.filter(isChosen), ...queue.filter((waiter) => !isChosen(waiter))];
    const served = order.slice(0, offers.length);
    expect(new Set(served.map(({ ticket }) => ticket))).toEqual(
      new Set(offers.map(({ ticket }) => ticket)),
    );
    const modes = [...holds, ...served].map(({ mode }) => mode);
    if (modes.includes('exclusive')) expect(modes).toHaveLength(1);
    expect(new Set(modes).size, 'holds and offers of several modes').toBeLessThanOrEqual(1);
    const isOpen = !after.frozen && after.delayedUntil <= context.now;
    if (!isOpen) expect(offers).toEqual([]);
    const next = order[offers.length];
    const taken = [...holds, ...served].reduce((sum, { permits = 0 }) => sum + permits, 0);
    const isLeft = taken + (next?.permits ?? 0) <= (after.capacity?.inForce ?? Infinity);
    const isBeside = next && next.mode !== 'exclusive' && modes.every((mode) => mode === next.mode);
    const fits = next && (modes.length === 0 || (isBeside && isLeft));
    if (command.verb === 'detach') return;
    if (isOpen) expect(fits ?? false, 'the lock has room while a caller waits').toBe(false);
    for (const { ticket, until } of offers) {
      const isAway = queue.find((waiter) => waiter.ticket === ticket)?.detachedUntil !== null;
      if (!isAway) expect(until).toBeGreaterThan(context.now);
    }
  }

  /** No waiter leaves the queue without a reason, and no waiter's place or patience changes. */
  private checkKept(written: Written): void {
    const { before, after, context, command } = written;
    const { queue, offers } = before ?? NO_RECORD;
    const now = new Map(after.queue.map((waiter) => [waiter.ticket, waiter]));
    for (const was of queue) {
      const is = now.get(was.ticket);
      const isReady = isHere(was, written) || was.detachedUntil !== null;
      const isMissed = offers.some(
        ({ ticket, until }) => ticket === was.ticket && until <= context.now,
      );
      const hasLeft = !isPresent(was, written) || (isMissed && !isReady);
      if (is) {
        const { process, detachedUntil, ...kept } = is;
        expect(was).toMatchObject(kept);
        const left = detachedUntil !== null && was.detachedUntil !== detachedUntil;
        if (left)
          expect([was.process, detachedUntil]).toEqual([written.process, context.now + 2_000]);
        const isAsked = command.verb === 'acquire' && isFor(command, was);
        const isTakenBack = hasLeft && isPatient(was, context.now) && isOpenHere(was, written);
        if (process !== was.process) expect(isAsked || isTakenBack).toBe(true);
        continue;
      }
      const isServed = written.decision.handOffs.some(({ tag }) => tag === was.tag);
      const isHome = command.verb === 'giveUp' && was.process === written.process;
      const isEnded = isFor(command, was) && (command.verb === 'cancel' || isHome);
      const hasEntered = isFor(command, was) && command.verb === 'acquire' && command.reentrant;
      expect(isServed || isEnded || hasEntered || hasLeft, `waiter ${was.ticket} was lost`).toBe(
        true,
      );
    }
    const joined = after.queue.filter(({ ticket }) => ticket > (before?.lastTicket ?? 0));
    const isBack = ({ tag }: Waiter) =>
      context.storedAnswer !== null || before?.departed.some((departed) => departed.tag === tag);
    const most = context.policy.queueLimit + (joined.every(isBack) ? DEPARTED_MAX : 0);
    if (joined.length > 0) expect(after.queue.length).toBeLessThanOrEqual(most);
  }
}

const isOffered = ({ offers }: LockRecord, ticket: number) =>
  offers.some((offer) => offer.ticket === ticket);

const isFor = (command: LockCommand, { tag }: Waiter) =>
  'request' in command && command.request !== null && isFingerprintOf(tag, command.request.key);

const isPatient = (waiter: Waiter, now: number) => now < waiter.enqueuedAt + waiter.patienceMs;

/** Whether the waiter's caller is connected to the deciding process, or sent this command. */
function isHere(waiter: Waiter, written: Written): boolean {
  const { process, command } = written;
  if (command.verb === 'acquire' && isFor(command, waiter)) return true;
  return waiter.process === process && isOpenHere(waiter, written);
}

/** Whether a call of the waiter's request is open at the deciding process. */
const isOpenHere = ({ tag }: Waiter, { process, connected }: Written) =>
  connected.has(`${process} ${tag}`);

function isPresent(waiter: Waiter, written: Written): boolean {
  const { context, process, command } = written;
  if (!isPatient(waiter, context.now)) return false;
  if (command.verb === 'acquire' && isFor(command, waiter)) return true;
  if (waiter.detachedUntil !== null) return context.now < waiter.detachedUntil;
  return waiter.process === process ? isHere(waiter, written) : context.isAlive(waiter.process);
}

it(
  "promise 6: the queue is first in, first out but for an operator's choice; no waiter is lost",
  () => {
    let reassigned = 0;
    fc.assert(
      fc.property(steps, (played) => {
        const referee = new QueueReferee();
        new Campaign([referee]).play(played);
        reassigned += referee.reassigned;
      }),
      RUNS,
    );
    expect(reassigned).toBeGreaterThan(0);
  },
  PROPERTY_MS,
);

it(
  'promise 6: a connected waiter is granted the lock or times out',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        const campaign = new Campaign([new QueueReferee()]).play(played);
        const { world } = campaign;
        campaign.dropPending();
        for (let look = 0; look < 60 && world.record?.queue.length !== 0; look += 1) {
          world.pass(250);
          for (const process of ['p1', 'p2', 'p3']) {
            if (!world.isKilled(process)) campaign.run({ verb: 'expireAndPromote' }, process);
          }
          const hold = world.record?.holds[0];
          const held = hold && { ...hold, verb: 'release' as const, request: null };
          const survivor = ['p1', 'p2', 'p3'].find((process) => !world.isKilled(process));
          if (held && survivor) campaign.run(held, survivor);
          if (!survivor || !world.record) return;
        }
        expect(world.record?.queue ?? []).toEqual([]);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

/**
 * Remembers when each waiter came first. No campaign lasts as long as a record remembers those that
 * left without an answer.
 */
class AgeReferee implements Referee {
  private readonly cameAt = new Map<string, number>();
  returns = 0;

  onWritten({ before, after, decision, command, context }: Written): void {
    const waiting = new Set(after.queue.map(({ tag }) => tag));
    for (const was of before?.queue ?? []) {
      const isServed = decision.handOffs.some(({ tag }) => tag === was.tag);
      const isEnded = isFor(command, was) && ['cancel', 'giveUp'].includes(command.verb);
      const isOver = isServed || isEnded || !isPatient(was, context.now);
      if (!waiting.has(was.tag) && isOver) this.cameAt.delete(was.tag);
    }
    if (command.verb !== 'acquire' || !command.request.remembered) return;
    const joined = after.queue.find((waiter) => isFor(command, waiter));
    if (!joined) return;
    const cameAt = this.cameAt.get(joined.tag);
    if (cameAt === undefined) this.cameAt.set(joined.tag, joined.enqueuedAt);
    else expect(joined.enqueuedAt, `waiter ${joined.ticket} lost its age`).toBe(cameAt);
    const isNew = joined.ticket > (before?.lastTicket ?? 0);
    if (isNew && cameAt !== undefined) this.returns += 1;
  }
}

it(
  'a waiter that asks again keeps its age, even if its process died meanwhile',
  () => {
    let returns = 0;
    fc.assert(
      fc.property(steps, (played) => {
        const referee = new AgeReferee();
        const campaign = new Campaign([referee]).play(played);
        campaign.dropPending();
        const { world, asks } = campaign;
        for (const process of ['p1', 'p2']) if (!world.isKilled(process)) world.kill(process);
        if (world.isKilled('p3')) return;
        campaign.run({ verb: 'expireAndPromote' }, 'p3');
        for (const ask of asks) campaign.run(ask, 'p3');
        returns += referee.returns;
      }),
      RUNS,
    );
    expect(returns).toBeGreaterThan(0);
  },
  PROPERTY_MS,
);

/** How long a killed process still counts as alive, and how often the others check. */
const UNNOTICED_MS = 1_500;
const LOOK_EVERY_MS = 250;

it(
  'promise 6: a dead process delays its queue by at most 2 s, however many of its callers wait',
  () => {
    const crowd = fc.array(fc.constantFrom('p2', 'p3'), { maxLength: 30 });
    const instants = fc.integer({ min: 0, max: 4_000 });
    fc.assert(
      fc.property(crowd, instants, instants, (processes, killedAfterMs, freedAfterMs) => {
        const world = new LockWorld();
        const start = world.now;
        const holder = world.run(acquire('orders/holder', { leaseMs: 60_000 }));
        const token = holder.outcome === 'granted' ? holder.token : 0;
        const patient = { waitMs: 60_000 };
        processes.forEach((process, i) => {
          world.run(acquire(`orders/w${i}`, patient), process);
        });
        world.run(acquire('orders/survivor', patient), 'p1');

        const isServed = () => world.record?.holds[0]?.owner === 'survivor';
        const bothDone = Math.max(killedAfterMs, freedAfterMs);
        for (let ms = 0; ms <= bothDone + 2_000 && !isServed(); ms += 1) {
          if (ms === killedAfterMs) for (const p of ['p2', 'p3']) world.kill(p, UNNOTICED_MS);
          if (ms === freedAfterMs) world.run(release('orders/holder', token));
          if (ms % LOOK_EVERY_MS === 0) world.run({ verb: 'expireAndPromote' });
          world.pass(1);
        }
        expect(isServed(), `not served ${world.now - start - bothDone} ms later`).toBe(true);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

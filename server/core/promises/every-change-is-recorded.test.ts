import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventKind, LockEvent } from '../lock/lock-event';
import type { Hold } from '../lock/lock-record';
import { isFingerprintOf } from '../request-fingerprint';
import { type Answered, Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

/**
 * Compares each record with the one before it, and the difference with the events written. Records,
 * commands and answers are frozen, which proves that they are never mutated.
 */
class HistoryReferee implements Referee {
  private rev: number | null = null;

  onWritten(written: Written): void {
    const { before, after, decision } = written;
    if (before) expect(after.rev).toBe(before.rev + 1);
    if (this.rev !== null) expect(after.rev).toBe(this.rev + 1);
    this.rev = after.rev;
    const { events } = decision;
    expect(new Set(events.map(({ rev }) => rev))).toEqual(new Set([after.rev]));
    const spans = events.flatMap(({ waitedMs = 0, heldMs = 0 }) => [waitedMs, heldMs]);
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(0);
    checkHolds(written);
    checkQueue(written);
  }

  onAnswered({ proposal, written }: Answered): void {
    const { events, storedAnswers, extensions, handOffs } = proposal.decision;
    if (!written) expect([events, storedAnswers, extensions, handOffs].flat()).toEqual([]);
  }
}

const ENDINGS: EventKind[] = ['released', 'expired', 'forced', 'late'];
const CHANGES: EventKind[] = ['renewed', 'extended', 'reentered', 'decremented', 'kept'];

const essence = ({ token, count, expiresAt }: Hold) => ({ token, count, expiresAt });

const of = (events: LockEvent[], kinds: EventKind[]) =>
  events.filter(({ kind }) => kinds.includes(kind));

/** Applies the events to the earlier holds and expects the current ones. */
function checkHolds({ before, after, decision }: Written): void {
  const expected = new Map(before?.holds.map((hold) => [hold.token, essence(hold)]));
  for (const event of decision.events) {
    const { kind, token = 0, expiresAt, holdCount } = event;
    if (kind === 'granted') expected.set(token, { token, count: 1, expiresAt: expiresAt ?? 0 });
    if (ENDINGS.includes(kind)) {
      expect(expected.delete(token), `${kind} of no hold`).toBe(true);
    }
    if (!CHANGES.includes(kind)) continue;
    const was = expected.get(token);
    if (!was) throw new Error(`${kind} of no hold`);
    expected.set(token, {
      token,
      count: holdCount ?? was.count,
      expiresAt: expiresAt ?? was.expiresAt,
    });
  }
  expect([...expected.values()]).toEqual(after.holds.map(essence));
  const last = of(decision.events, ENDINGS).at(-1);
  if (last) expect(after.ended).toMatchObject({ token: last.token, at: last.at });
  const { frozen = null } = before ?? {};
  const isRecorded = of(decision.events, ['frozen', 'unfrozen']).length > 0;
  expect(isRecorded).toBe(after.frozen !== frozen);
}

/** Whether a cancelled request has no place, but a remembered wait: see `cancelDeparted`. */
function isOfDeparted({ before, command, context }: Written): boolean {
  if (command.verb !== 'cancel') return false;
  const isIts = ({ tag }: { tag: string }) => isFingerprintOf(tag, command.request.key);
  if (before?.queue.some(isIts)) return false;
  const isBetweenCalls = 'enqueuedAt' in ((context.storedAnswer?.answer ?? {}) as object);
  return isBetweenCalls || (before?.departed.some(isIts) ?? false);
}

function checkQueue(written: Written): void {
  const { before, after, decision } = written;
  const { events, handOffs } = decision;
  const old = new Map(before?.queue.map((waiter) => [waiter.ticket, waiter]));
  const joined = after.queue.filter(({ ticket }) => !old.has(ticket));
  const moved = after.queue.filter((waiter) => (old.get(waiter.ticket) ?? waiter) !== waiter);
  const left = old.size - (after.queue.length - joined.length);
  const known = new Set(before?.queue.map(({ tag }) => tag));
  const servedAtOnce = handOffs.filter(({ tag }) => !known.has(tag)).length;
  const served = handOffs.length - servedAtOnce;
  expect(of(events, ['queued'])).toHaveLength(joined.length + servedAtOnce);
  // One that had left before, and is not in the queue, may be cancelled as well.
  const cancelled = isOfDeparted(written) ? of(events, ['cancelled']).length : 0;
  expect(of(events, ['cancelled', 'timeout', 'dropped'])).toHaveLength(left - served + cancelled);
  // One that is resumed and leaves in the same change is not in the queue any more.
  const movedThenLeft = of(events, ['detached', 'resumed']).length - moved.length;
  expect(movedThenLeft).toBeGreaterThanOrEqual(0);
  expect(movedThenLeft).toBeLessThanOrEqual(left);
  const newOffers = after.offers.filter((offer) => !before?.offers.includes(offer));
  // An offer that a lock delay withdraws in the same change is in the history alone.
  const fleeting = of(events, ['offered']).length - newOffers.length;
  expect(fleeting).toBeGreaterThanOrEqual(0);
  expect(fleeting).toBeLessThanOrEqual(of(events, ['withdrawn']).length);
}

it(
  'every change raises the rev by one and is in the history, event by event',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new HistoryReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

import type { Remark } from '../../contract/primitives';
import { traceOf } from '../lock/hold-lifecycle';
import type { LockEvent } from '../lock/lock-event';
import {
  type EndedHold,
  type Hold,
  type LockRecord,
  unwrittenRecord,
  type Waiter,
} from '../lock/lock-record';
import { isOutOfPatience } from '../lock/queue';
import { isSameParty } from '../party';
import { type PastHold, type PastWait, spanOf } from './event-span';
import { UNKNOWN_PATIENCE_MS } from './is-patience-known';

/** What is known about a lock at a past instant. */
export interface PastFacts {
  /** The instant, on the lock's backend's clock. */
  at: number;
  /** The holds and waits that cover it. */
  holds: readonly PastHold[];
  waits: readonly PastWait[];
  /** The freeze that covers it. */
  frozen: Remark | null;
  /** Its latest events up to that instant, oldest first; possibly not all since a hold began. */
  events: readonly LockEvent[];
  /** The present record of the lock; null: it has none. */
  now: LockRecord | null;
  /** The present lock-delay of its namespace. */
  lockDelayMs: number;
}

/**
 * The record of a lock at a past instant. Holders and waiters are exact; leases, renewals and
 * remarks are only as complete as the events. Tickets only number the queue; offers and stored
 * answers are omitted.
 */
export function recordAt(facts: PastFacts): LockRecord {
  const { at, events, frozen } = facts;
  const holds = facts.holds.map((hold) => holdAt(hold, facts));
  const ended = lastEnded(events, holds);
  const last = events.at(-1);
  const tokens = [...holds, ...events].map(({ token = 0 }) => token);
  return {
    ...unwrittenRecord(at),
    rev: last?.rev ?? 0,
    lastToken: Math.max(0, ...tokens),
    lastTicket: facts.waits.length,
    holds,
    ended,
    queue: queueAt(facts),
    frozen,
    delayedUntil: delayedUntil(facts),
    capacity: capacityAt(facts),
  };
}

/**
 * The last capacity in an event, if permits were in use ever since. Otherwise, as with events that
 * an earlier version wrote, the capacity that callers name now; but if some events since a grant
 * are unknown, the present capacity, which an operator may have set before the instant.
 */
function capacityAt(facts: PastFacts): LockRecord['capacity'] {
  const { events, now } = facts;
  const last = events.findLast(({ capacity }) => capacity !== undefined);
  if (last?.capacity !== undefined && isInUseSince(last.at, facts)) {
    return { inForce: last.capacity, named: last.capacity };
  }
  if (!now?.capacity) return null;
  const { named } = now.capacity;
  const granted = events.find(({ kind, permits }) => kind === 'granted' && permits !== undefined);
  return hasEveryRev(granted, events) ? { inForce: named, named } : now.capacity;
}

/** Whether permits were always held or waited for since then: otherwise the capacity was lost. */
function isInUseSince(since: number, { at, holds, waits, events }: PastFacts): boolean {
  const ended = events.map((event) => ({ permits: event.permits, ...spanOf(event) }));
  const spans = [...holds, ...waits, ...ended]
    .filter(({ permits }) => permits !== undefined)
    .map(({ from = at, to }) => ({ from, to: to ?? at }))
    .sort((a, b) => a.from - b.from);
  let until = since;
  for (const { from, to } of spans) if (from <= until) until = Math.max(until, to);
  return until >= at;
}

/**
 * The holds, waits and freeze in the present record that already existed at an earlier instant.
 *
 * @param knownUntil until when the record is known to be current: a hold whose lease ended later
 *   may have been renewed
 */
export function openSince(now: LockRecord | null, at: number, knownUntil = at) {
  const holds = (now?.holds ?? [])
    .filter(({ grantedAt, expiresAt }) => grantedAt <= at && expiresAt > Math.min(at, knownUntil))
    .map(({ grantedAt, service, owner, token, permits }): PastHold => {
      const permitsField = permits === undefined ? {} : { permits };
      return { from: grantedAt, to: null, service, owner, token, ...permitsField };
    });
  const waits = (now?.queue ?? [])
    .filter((waiter) => waiter.enqueuedAt <= at && !isOutOfPatience(waiter, at))
    .map(({ enqueuedAt, service, owner, mode, permits, patienceMs }): PastWait => {
      const permitsField = permits === undefined ? {} : { permits };
      const who = { service, owner, mode, ...permitsField };
      return { from: enqueuedAt, to: null, ...who, patienceMs, end: null };
    });
  const frozen = now?.frozen && now.frozen.at <= at ? now.frozen : null;
  return { holds, waits, frozen };
}

function holdAt(span: PastHold, { at, events, now }: PastFacts): Hold {
  const { token, service, owner, from, to, permits } = span;
  const own = events.filter((event) => event.token === token);
  const present = now?.holds.find((hold) => hold.token === token);
  const granted = own.find(({ kind }) => kind === 'granted');
  const mode = granted?.mode ?? present?.mode ?? (permits === undefined ? 'exclusive' : 'permit');
  const expiresAt = granted?.expiresAt ?? to ?? present?.expiresAt ?? at + 1;
  const hold: Hold = {
    token,
    mode,
    ...(permits === undefined ? {} : { permits }),
    service,
    owner,
    count: 1,
    leaseMs: granted ? expiresAt - granted.at : (present?.leaseMs ?? expiresAt - from),
    grantedAt: from,
    renewedAt: from,
    renewals: 0,
    ...(hasEveryRev(granted, events) ? {} : { areRenewalsPartial: true }),
    expiresAt,
    waitedMs: granted?.waitedMs ?? present?.waitedMs ?? 0,
    rev: granted?.rev ?? present?.rev ?? 0,
    meta: granted?.meta ?? present?.meta ?? {},
    requests: [],
    requestsKeptUntil: expiresAt,
    askedToRelease: null,
    renewalsStopped: null,
    ...(present?.set ? { set: present.set } : {}),
    ...traceOf({ traceparent: granted?.traceparent ?? present?.traceparent }),
  };
  for (const event of own) applyTo(hold, event);
  // The hold is known to cover the instant, even if the events that were read say otherwise.
  if (hold.expiresAt <= at) hold.expiresAt = to ?? Math.max(present?.expiresAt ?? 0, at + 1);
  return hold;
}

/** Whether every change since a grant is among the events: each has a rev of its own. */
function hasEveryRev(granted: LockEvent | undefined, events: readonly LockEvent[]): boolean {
  if (!granted) return false;
  const revs = new Set(events.map(({ rev }) => rev).filter((rev) => rev >= granted.rev));
  return revs.size === Math.max(...revs) - granted.rev + 1;
}

/** Applies an event to a hold. */
function applyTo(hold: Hold, event: LockEvent): void {
  const { kind, at, expiresAt, holdCount, by, reason = '' } = event;
  const remark = by === undefined ? null : { by, reason, at };
  if ((kind === 'renewed' || kind === 'reentered') && expiresAt !== undefined && expiresAt > at) {
    if (!hold.renewalsStopped) hold.leaseMs = renewedLeaseMs(hold, at, expiresAt);
  }
  if (expiresAt !== undefined) hold.expiresAt = expiresAt;
  if (holdCount !== undefined) hold.count = holdCount;
  if (kind === 'renewed') Object.assign(hold, { renewedAt: at, renewals: hold.renewals + 1 });
  if (kind === 'asked') hold.askedToRelease = remark;
  if (kind === 'stopped') hold.renewalsStopped = remark;
  if (kind === 'kept' && expiresAt !== undefined) {
    Object.assign(hold, { releasedAt: at, keptUntil: expiresAt });
  }
}

/** The lease as of a renewal. One that does not move the end shows only the longest it can be. */
function renewedLeaseMs(hold: Hold, at: number, expiresAt: number): number {
  const leftMs = expiresAt - at;
  return expiresAt > hold.expiresAt ? leftMs : Math.min(hold.leaseMs, leftMs);
}

function lastEnded(events: readonly LockEvent[], holds: readonly Hold[]): EndedHold | null {
  const live = new Set(holds.map(({ token }) => token));
  let last: LockEvent | null = null;
  for (const event of events) {
    if (event.token === undefined || live.has(event.token)) continue;
    const isEnd = event.kind === 'late' || event.kind in CAUSES;
    if (isEnd && (!last || event.at >= last.at)) last = event;
  }
  if (last?.token === undefined) return null;
  const { kind, at, token, service, owner, by, reason, heldMs = 0 } = last;
  const cause = CAUSES[kind as keyof typeof CAUSES] ?? 'released';
  const why = by === undefined ? {} : { by, reason: reason ?? '' };
  return { token, service, owner, cause, grantedAt: at - heldMs, at, ...why };
}

const CAUSES = { released: 'released', expired: 'expired', forced: 'forced' } as const;

/**
 * Until when the lock-delay after lost holds lasts; 0: no delay. A grant ends it. A hold that its
 * holder had released, and that only kept the lock taken, was not lost.
 */
function delayedUntil({ at, events, lockDelayMs }: PastFacts): number {
  const released = new Set<number | undefined>();
  let until = 0;
  for (const { kind, at: endedAt, token } of events) {
    if (kind === 'granted') until = 0;
    if (kind === 'kept') released.add(token);
    if ((kind === 'expired' || kind === 'forced') && !released.has(token)) {
      until = Math.max(until, endedAt + lockDelayMs);
    }
  }
  return until > at ? until : 0;
}

/** The waiters in the order in which they joined this queue, which may not be that of their age. */
function queueAt({ at, waits, events }: PastFacts): Waiter[] {
  const queued = events.filter(({ kind }) => kind === 'queued');
  return waits
    .map((wait) => ({ wait, event: queuedEventOf(wait, waits, queued) }))
    .sort((a, b) => joinedAt(a) - joinedAt(b) || revOf(a) - revOf(b))
    .map(({ wait, event }, i): Waiter => {
      const { service, owner, from, to, permits } = wait;
      const mode = wait.mode ?? event?.mode ?? (permits === undefined ? 'exclusive' : 'permit');
      const waitedOut = wait.end === 'timeout' && to !== null ? to - from : undefined;
      const patienceMs = wait.patienceMs ?? event?.patienceMs ?? waitedOut ?? UNKNOWN_PATIENCE_MS;
      return {
        ticket: i + 1,
        mode,
        ...(permits === undefined ? {} : { permits }),
        service,
        owner,
        tag: '',
        process: '',
        enqueuedAt: from,
        // It was waiting at that instant, whatever is known of its timeout.
        patienceMs: Math.max(patienceMs, at - from + 1),
        detachedUntil: null,
      };
    });
}

/** A wait, and the event with which it joined the queue, if known. */
interface JoinedWait {
  wait: PastWait;
  event: LockEvent | undefined;
}

const joinedAt = ({ wait, event }: JoinedWait) => event?.at ?? wait.from;

const revOf = ({ event }: JoinedWait) => event?.rev ?? 0;

/** The event with which a wait joined the queue. Several waits of one owner differ in instant. */
function queuedEventOf(wait: PastWait, waits: readonly PastWait[], queued: readonly LockEvent[]) {
  const { from } = wait;
  const events = queued.filter((event) => isSameParty(event, wait) && event.at >= from);
  const isOnly = waits.filter((other) => isSameParty(other, wait)).length === 1;
  return (isOnly ? undefined : events.find(({ at }) => at === from)) ?? events.at(-1);
}

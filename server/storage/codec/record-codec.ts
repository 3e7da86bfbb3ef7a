import type { Meta, Mode, MultiLockMark, Remark } from '../../contract/primitives';
import type {
  EndedHold,
  Hold,
  LockRecord,
  Offer,
  PermitCapacity,
  Waiter,
} from '../../core/lock/lock-record';
import type { StoredRecord } from '../record-store';
import { decodeQueue, encodeQueue } from './queue-codec';
import { requireValidRev, UnreadableRecord } from './unreadable-record';

/** A record as it was read or written, with its writer and the waiters in its stored queue. */
export interface KnownRecord<R = LockRecord> {
  record: R;
  writer: string;
  /** Every waiter in the stored queue text: first those already served, then `record.queue`. */
  storedQueue: readonly Waiter[];
}

/** The text of a record's two fields. `queue` null: the stored queue stays as it is. */
export interface EncodedRecord {
  head: string;
  queue: string | null;
  storedQueue: readonly Waiter[];
}

/** Served waiters are removed when there are this many, and more of them than are waiting. */
const COMPACT_AT = 32;

/** Numbers that are close to another one are stored as the difference: most of them are then 0. */
type HoldTuple = [
  tokenBehindLast: number,
  service: string,
  owner: string,
  count: number,
  leaseMs: number,
  grantedAt: number,
  renewedAfterMs: number,
  renewals: number,
  expiresAfterMs: number,
  waitedMs: number,
  grantedRevsAgo: number,
  meta: Meta | 0,
  requests: string[],
  keptAfterMs: number,
  /** Absent in records of an older version: exclusive. */
  mode?: number,
  rare?: {
    askedToRelease?: Remark;
    renewalsStopped?: Remark;
    set?: MultiLockMark;
    permits?: number;
    /** 1: the hold was granted, and its holder has not been heard from since. */
    unclaimed?: 1;
    keptUntil?: number;
    releasedAt?: number;
    traceparent?: string;
    waitedFor?: string;
  },
];

type OfferTuple = [ticket: number, until: number];

/**
 * A mode is stored as its index in this list. An older version reads an unknown one as exclusive.
 */
const MODES = ['exclusive', 'shared', 'permit'] as const satisfies readonly Mode[];

type EndedTuple = [
  tokenBehindLast: number,
  service: string,
  owner: string,
  cause: EndedHold['cause'],
  grantedAt: number,
  heldMs: number,
  why?: { by?: string; reason?: string; traceparent?: string },
];

type Head = [
  lastToken: number,
  lastTicket: number,
  served: number,
  holds: HoldTuple[],
  ended: EndedTuple | 0,
  /** An older version wrote a single pair without a list. */
  offers: OfferTuple[] | OfferTuple | 0,
  frozen?: Remark | 0,
  delayedUntil?: number,
  /** Absent in records of an older version: unknown. */
  answersUntil?: number | null,
  /** How many permits may be held at once, and the capacity that callers name if it differs. */
  capacity?: [inForce: number, named?: number],
];

/** Throws for a record that no version of Lockyard wrote: see `describeUnreadable`. */
export function decodeRecord(stored: StoredRecord): KnownRecord {
  requireValidRev(stored.rev);
  const head = JSON.parse(stored.head) as Head;
  const [lastToken, lastTicket, served, holds, ended, offers] = head;
  const [, , , , , , frozen = 0, delayedUntil = 0, answersUntil = null, capacity] = head;
  if (!Number.isSafeInteger(lastToken) || !Number.isSafeInteger(lastTicket)) {
    throw new UnreadableRecord('Its last token or ticket is not an exact whole number.');
  }
  const { waiters: storedQueue, departed } = decodeQueue(stored.queue);
  const record: LockRecord = {
    rev: stored.rev,
    lastToken,
    lastTicket,
    holds: holds.map((hold) => decodeHold(hold, stored.rev, lastToken)),
    offers: decodeOffers(offers),
    ended: ended === 0 ? null : decodeEnded(ended, lastToken),
    queue: served === 0 ? storedQueue : storedQueue.slice(served),
    departed,
    frozen: frozen === 0 ? null : frozen,
    delayedUntil,
    answersUntil,
    capacity: capacity ? decodeCapacity(capacity) : null,
  };
  return { record, writer: stored.writer, storedQueue };
}

/**
 * Encodes `next`. A hand-off only moves an index in the head. The queue, which includes the
 * departed waiters, is written again only if one of them joined, left out of turn or changed, if
 * all waiters have been served, or if too many served ones have accumulated.
 */
export function encodeRecord(next: LockRecord, known: KnownRecord | null): EncodedRecord {
  const onDisk = known?.storedQueue ?? [];
  const served = onDisk.length - next.queue.length;
  const reusable = served >= 0 && next.queue.every((waiter, i) => waiter === onDisk[served + i]);
  const isCompact = served < COMPACT_AT || served <= next.queue.length;
  const isAllServed = next.queue.length === 0 && onDisk.length > 0;
  if (known && reusable && isCompact && !isAllServed && haveSameDeparted(next, known.record)) {
    return { head: encodeHead(next, served), queue: null, storedQueue: onDisk };
  }
  return { head: encodeHead(next, 0), queue: encodeQueue(next), storedQueue: next.queue };
}

/** Compares by identity: a change replaces the list and never mutates it. */
function haveSameDeparted(one: LockRecord, other: LockRecord): boolean {
  return one.departed === other.departed || one.departed.length + other.departed.length === 0;
}

function encodeHead(record: LockRecord, served: number): string {
  const { lastToken, lastTicket, holds, ended, offers, frozen } = record;
  const { delayedUntil, answersUntil, capacity } = record;
  const head: Head = [
    lastToken,
    lastTicket,
    served,
    holds.map((hold) => encodeHold(hold, record)),
    ended ? encodeEnded(ended, lastToken) : 0,
    offers.length > 0 ? offers.map(({ ticket, until }) => [ticket, until]) : 0,
  ];
  if (capacity) {
    head.push(frozen ?? 0, delayedUntil, answersUntil, encodeCapacity(capacity));
  } else if (answersUntil !== null) head.push(frozen ?? 0, delayedUntil, answersUntil);
  else if (frozen || delayedUntil > 0) head.push(frozen ?? 0, delayedUntil);
  return JSON.stringify(head);
}

function encodeCapacity({ inForce, named }: PermitCapacity): [number, number?] {
  return named === inForce ? [inForce] : [inForce, named];
}

function decodeCapacity([inForce, named = inForce]: [number, number?]): PermitCapacity {
  return { inForce, named };
}

function encodeHold(hold: Hold, { rev, lastToken }: LockRecord): HoldTuple {
  const { grantedAt, askedToRelease, renewalsStopped, set, isUnclaimed } = hold;
  const { permits, keptUntil, releasedAt, traceparent, waitedForTraceparent } = hold;
  const tuple: HoldTuple = [
    lastToken - hold.token,
    hold.service,
    hold.owner,
    hold.count,
    hold.leaseMs,
    grantedAt,
    hold.renewedAt - grantedAt,
    hold.renewals,
    hold.expiresAt - grantedAt,
    hold.waitedMs,
    rev - hold.rev,
    Object.keys(hold.meta).length > 0 ? hold.meta : 0,
    hold.requests,
    hold.requestsKeptUntil - grantedAt,
    MODES.indexOf(hold.mode),
  ];
  const isTraced = traceparent !== undefined || waitedForTraceparent !== undefined;
  const isMarked = set !== undefined || isUnclaimed || permits !== undefined || isTraced;
  if (askedToRelease || renewalsStopped || isMarked || keptUntil !== undefined) {
    tuple.push({
      ...(askedToRelease ? { askedToRelease } : {}),
      ...(renewalsStopped ? { renewalsStopped } : {}),
      ...(set ? { set } : {}),
      ...(permits === undefined ? {} : { permits }),
      ...(isUnclaimed ? { unclaimed: 1 } : {}),
      ...(keptUntil === undefined ? {} : { keptUntil }),
      ...(releasedAt === undefined ? {} : { releasedAt }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(waitedForTraceparent === undefined ? {} : { waitedFor: waitedForTraceparent }),
    });
  }
  return tuple;
}

function decodeHold(tuple: HoldTuple, rev: number, lastToken: number): Hold {
  const [tokenBehindLast, service, owner, count, leaseMs, grantedAt] = tuple;
  const [, , , , , , renewedAfterMs, renewals, expiresAfterMs, waitedMs] = tuple;
  const [, , , , , , , , , , grantedRevsAgo, meta, requests, keptAfterMs, mode, rare] = tuple;
  return {
    token: lastToken - tokenBehindLast,
    mode: MODES[mode ?? 0] ?? 'exclusive',
    ...(rare?.permits === undefined ? {} : { permits: rare.permits }),
    service,
    owner,
    count,
    leaseMs,
    grantedAt,
    renewedAt: grantedAt + renewedAfterMs,
    renewals,
    expiresAt: grantedAt + expiresAfterMs,
    waitedMs,
    rev: rev - grantedRevsAgo,
    meta: meta === 0 ? {} : meta,
    requests,
    requestsKeptUntil: grantedAt + keptAfterMs,
    askedToRelease: rare?.askedToRelease ?? null,
    renewalsStopped: rare?.renewalsStopped ?? null,
    ...(rare?.set ? { set: rare.set } : {}),
    ...(rare?.unclaimed ? { isUnclaimed: true } : {}),
    ...(rare?.keptUntil === undefined ? {} : { keptUntil: rare.keptUntil }),
    ...(rare?.releasedAt === undefined ? {} : { releasedAt: rare.releasedAt }),
    ...(rare?.traceparent === undefined ? {} : { traceparent: rare.traceparent }),
    ...(rare?.waitedFor === undefined ? {} : { waitedForTraceparent: rare.waitedFor }),
  };
}

function encodeEnded(ended: EndedHold, lastToken: number): EndedTuple {
  const { token, service, owner, cause, grantedAt, at, by, reason, traceparent } = ended;
  const tuple: EndedTuple = [lastToken - token, service, owner, cause, grantedAt, at - grantedAt];
  if (by !== undefined || reason !== undefined || traceparent !== undefined) {
    tuple.push({
      ...(by === undefined ? {} : { by }),
      ...(reason === undefined ? {} : { reason }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
  }
  return tuple;
}

function decodeEnded(tuple: EndedTuple, lastToken: number): EndedHold {
  const [tokenBehindLast, service, owner, cause, grantedAt, heldMs, why] = tuple;
  const token = lastToken - tokenBehindLast;
  return { token, service, owner, cause, grantedAt, at: grantedAt + heldMs, ...why };
}

function decodeOffers(text: OfferTuple[] | OfferTuple | 0): Offer[] {
  if (text === 0) return [];
  const isSingle = (list: OfferTuple[] | OfferTuple): list is OfferTuple =>
    typeof list[0] === 'number';
  const tuples = isSingle(text) ? [text] : text;
  return tuples.map(([ticket, until]) => ({ ticket, until }));
}

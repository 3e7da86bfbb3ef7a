import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LockRecord, Waiter } from '../../core/lock/lock-record';
import { Campaign } from '../../core/testing/campaign';
import { steps } from '../../core/testing/campaign-steps';
import { PROPERTY_MS, RUNS } from '../../core/testing/property-runs';
import type { StoredRecord } from '../record-store';
import { decodeRecord, encodeRecord, type KnownRecord } from './record-codec';

/** Keeps a record as a store does: a change without a queue leaves the stored queue text. */
class Shelf {
  private stored: StoredRecord | null = null;
  private known: KnownRecord | null = null;

  /** Writes a record and reads it back. `cold`: as a process that knows only the stored texts. */
  keep(record: LockRecord, cold: boolean): LockRecord {
    const base = cold && this.stored ? decodeRecord(this.stored) : this.known;
    const next = cold && base ? withSameWaiters(record, base.record.queue) : record;
    const { head, queue, storedQueue } = encodeRecord(next, base);
    const { rev } = record;
    this.stored = { rev, writer: `w${rev}`, head, queue: queue ?? this.stored?.queue ?? '' };
    this.known = { record: next, writer: this.stored.writer, storedQueue };
    return decodeRecord(this.stored).record;
  }
}

/** The same record, in which unchanged waiters are the objects that were read. */
function withSameWaiters(record: LockRecord, read: readonly Waiter[]): LockRecord {
  const old = new Map(read.map((waiter) => [JSON.stringify(waiter), waiter]));
  return { ...record, queue: record.queue.map((w) => old.get(JSON.stringify(w)) ?? w) };
}

describe('a record', () => {
  it(
    'is read as it was written, whatever happened to it, by its writer and by another process',
    () => {
      fc.assert(
        fc.property(steps, fc.array(fc.boolean(), { minLength: 1 }), (played, colds) => {
          const shelf = new Shelf();
          let writes = 0;
          const onWritten = ({ after }: { after: LockRecord }) => {
            writes += 1;
            const cold = colds[writes % colds.length] ?? false;
            expect(shelf.keep(after, cold)).toEqual(after);
          };
          new Campaign([{ onWritten }]).play(played);
        }),
        RUNS,
      );
    },
    PROPERTY_MS,
  );

  it(
    'with any text and number that a caller may send is read as it was written',
    () => {
      const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 });
      const instant = fc.integer({ min: 0, max: 2 ** 42 });
      const mode = fc.constantFrom('exclusive', 'shared');
      const remark = fc.record({ by: text, reason: text, at: instant });
      const plainHold = fc.record({
        token: fc.maxSafeNat(),
        mode,
        service: text,
        owner: text,
        count: fc.integer({ min: 1, max: 1_000 }),
        leaseMs: fc.nat(),
        grantedAt: instant,
        renewedAt: instant,
        renewals: fc.nat(),
        expiresAt: instant,
        waitedMs: fc.nat(),
        rev: fc.maxSafeNat(),
        meta: fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          text,
          { noNullPrototype: true },
        ),
        requests: fc.array(text),
        requestsKeptUntil: instant,
        askedToRelease: fc.option(remark),
        renewalsStopped: fc.option(remark),
      });
      const size = fc.integer({ min: 2, max: 20 });
      const count = fc.integer({ min: 1, max: 10_000 });
      const set = fc.option(fc.record({ id: text, size })).map((mark) => mark && { set: mark });
      const kept = fc.option(
        fc.record({ keptUntil: instant, releasedAt: instant }, { requiredKeys: ['keptUntil'] }),
      );
      const permit = fc.record({ mode: fc.constant('permit'), permits: count });
      const permits = fc.option(permit).map((facts) => facts ?? {});
      const traces = fc.record(
        { traceparent: text, waitedForTraceparent: text },
        { requiredKeys: [] },
      );
      const hold = fc
        .tuple(plainHold, set, kept, permits, traces)
        .map(([facts, mark, least, wanted, traced]) => {
          return { ...facts, ...mark, ...least, ...wanted, ...traced };
        });
      const why = fc.record({ by: text, reason: text, traceparent: text }, { requiredKeys: [] });
      const ended = fc
        .tuple(
          fc.record({
            token: fc.maxSafeNat(),
            service: text,
            owner: text,
            cause: fc.constantFrom('expired', 'released', 'forced'),
            grantedAt: instant,
            at: instant,
          }),
          why,
        )
        .map(([facts, reasons]) => ({ ...facts, ...reasons }));
      const plainWaiter = fc.record({
        ticket: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        mode,
        service: text,
        owner: text,
        tag: text,
        process: text,
        enqueuedAt: instant,
        patienceMs: fc.nat(),
        detachedUntil: fc.option(instant),
      });
      const setSize = fc.option(size).map((locks) => locks && { setSize: locks });
      const waiter = fc
        .tuple(plainWaiter, fc.oneof(setSize, permits))
        .map(([facts, more]) => ({ ...facts, ...more }));
      const plainDeparted = fc.record({
        tag: text,
        enqueuedAt: instant,
        patienceMs: fc.nat(),
        until: instant,
      });
      const mark = fc.option(text).map((ownerMark) => ownerMark && { ownerMark });
      const departed = fc
        .tuple(plainDeparted, mark)
        .map(([facts, more]) => ({ ...facts, ...more }));
      const record = fc.record({
        rev: fc.maxSafeNat(),
        lastToken: fc.maxSafeNat(),
        lastTicket: fc.maxSafeNat(),
        holds: fc.array(hold, { maxLength: 2 }),
        offers: fc.array(fc.record({ ticket: fc.maxSafeNat(), until: instant }), { maxLength: 3 }),
        ended: fc.option(ended),
        queue: fc.array(waiter, { maxLength: 8 }),
        departed: fc.array(departed, { maxLength: 3 }),
        frozen: fc.option(remark),
        delayedUntil: instant,
        answersUntil: instant,
        capacity: fc.option(fc.record({ inForce: count, named: count })),
      });
      fc.assert(
        fc.property(record, (written) => {
          expect(new Shelf().keep(written as LockRecord, false)).toEqual(written);
        }),
        RUNS,
      );
    },
    PROPERTY_MS,
  );
});

describe('a record of the first version', () => {
  const held = (offer: string) =>
    `[9,2,0,[[0,"orders","w1",1,1000,5,0,0,1000,0,0,0,[],2000]],0,${offer}]`;
  const read = (head: string) => decodeRecord({ rev: 1, writer: 'w', head, queue: '' }).record;

  it('is read as an exclusive hold without notices', () => {
    const { holds, offers, frozen, delayedUntil } = read(held('0'));
    expect(holds).toMatchObject([{ token: 9, mode: 'exclusive', renewalsStopped: null }]);
    expect(holds[0]).not.toHaveProperty('keptUntil');
    expect([offers, frozen, delayedUntil]).toEqual([[], null, 0]);
  });

  it('does not say until when its answers are stored', () => {
    expect(read(held('0')).answersUntil).toBe(null);
    expect(read(`${held('0').slice(0, -1)},0,7]`)).toMatchObject({
      delayedUntil: 7,
      answersUntil: null,
    });
  });

  it('keeps its offer', () => {
    expect(read(held('[2,77]')).offers).toEqual([{ ticket: 2, until: 77 }]);
  });
});

describe('a waiter', () => {
  const crowd = (owner: (i: number) => string): Waiter[] =>
    Array.from({ length: 2_000 }, (_, i) => ({
      ticket: 1_000_000 + i,
      mode: i % 3 === 0 ? 'shared' : 'exclusive',
      service: `service-${i % 20}`,
      owner: owner(i),
      tag: 'AbCdEfGhIjKlMn',
      process: `process-${i % 8}`,
      enqueuedAt: 1_800_000_000_000 + i * 300,
      patienceMs: 600_000,
      detachedUntil: 1_800_000_002_000 + i * 300,
      ...(i % 2 === 0 ? { setSize: 20 } : {}),
    }));

  const bytesEach = (queue: Waiter[]) => {
    const { queue: text } = encodeRecord({ ...EMPTY, queue }, null);
    return Buffer.byteLength(text ?? '') / queue.length;
  };

  it('takes at most 160 bytes for an owner of 100 bytes', () => {
    expect(bytesEach(crowd((i) => String(i).padEnd(100, 'x')))).toBeLessThanOrEqual(160);
    expect(bytesEach(crowd((i) => String(i).padEnd(6, 'x') + 'ü'.repeat(47)))).toBeLessThan(160);
  });
});

it('a queue without departed waiters is written as in the previous version', () => {
  const facts = { service: 'orders', owner: 'w1', tag: 'AbCdEfGhIjKlMn', process: 'p' };
  const times = { enqueuedAt: 7, patienceMs: 5, detachedUntil: null };
  const waiter: Waiter = { ticket: 3, mode: 'shared', ...facts, ...times };
  const { queue } = encodeRecord({ ...EMPTY, queue: [waiter] }, null);
  expect(queue).toBe('[["orders"],["p"],7,[[-3,0,"w1","AbCdEfGhIjKlMn",0,0,5]]]');
});

describe('a departed waiter', () => {
  const departed = Array.from({ length: 200 }, (_, i) => ({
    tag: 'AbCdEfGhIjKlMn',
    enqueuedAt: 1_800_000_000_000 + i * 300,
    patienceMs: 600_000,
    until: 1_800_000_600_000,
    ownerMark: '1z141z3',
  }));

  it('takes at most 60 bytes, and none once it is removed', () => {
    const { queue } = encodeRecord({ ...EMPTY, departed }, null);
    expect(Buffer.byteLength(queue ?? '') / departed.length).toBeLessThanOrEqual(60);
    expect(encodeRecord(EMPTY, null).queue).toBe('');
  });

  it('is written with the queue, not with a change of only the head', () => {
    const record = { ...EMPTY, departed };
    const known = { record, writer: 'w', storedQueue: encodeRecord(record, null).storedQueue };
    expect(encodeRecord({ ...record, rev: 2 }, known).queue).toBe(null);
    expect(encodeRecord({ ...record, rev: 2, departed: [] }, known).queue).toBe('');
  });
});

describe('a hand-off', () => {
  it('rewrites only the head until many served waiters have accumulated', () => {
    const queue = Array.from({ length: 200 }, (_, i): Waiter => {
      const facts = { service: 's', owner: `w${i}`, tag: `tag${i}`, process: 'p' };
      return {
        ticket: i,
        mode: 'exclusive',
        ...facts,
        enqueuedAt: i,
        patienceMs: 1,
        detachedUntil: null,
      };
    });
    let known: KnownRecord | null = null;
    let rewritten = 0;
    for (let served = 0; served <= queue.length; served += 1) {
      const record = { ...EMPTY, queue: queue.slice(served) };
      const encoded = encodeRecord(record, known);
      if (encoded.queue !== null) rewritten += 1;
      known = { record, writer: 'w', storedQueue: encoded.storedQueue };
    }
    expect(rewritten).toBeLessThanOrEqual(6);
  });
});

const EMPTY: LockRecord = {
  rev: 1,
  lastToken: 1,
  lastTicket: 0,
  answersUntil: 0,
  capacity: null,
  holds: [],
  offers: [],
  ended: null,
  queue: [],
  departed: [],
  frozen: null,
  delayedUntil: 0,
};

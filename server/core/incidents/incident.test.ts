import { describe, expect, it, test } from 'vitest';
import {
  INCIDENT_QUIET_MS,
  type Incident,
  type IncidentReading,
  nextIncident,
  withHoldEnd,
  withWorstBlocking,
} from './incident';

const START = 1_000_000;

/** A lock that is read once a second, on a clock that the test moves. */
class Watched {
  now = START;
  /** Moves with `now`, unless a test sets `now`. */
  private monotonicMs = 0;
  incident: Incident | null = null;
  readonly ended: Incident[] = [];
  private lastEndedAt = 0;

  /** Reads it every second for `seconds`. */
  pass(seconds: number, parts: Partial<IncidentReading>): this {
    for (let i = 0; i < seconds; i += 1) {
      this.now += 1_000;
      this.monotonicMs += 1_000;
      this.read({ monotonicMs: this.monotonicMs, ...parts });
    }
    return this;
  }

  read(parts: Partial<IncidentReading>): void {
    const next = nextIncident(this.incident, readingOf(this.now, parts), this.lastEndedAt);
    this.incident = next;
    if (!next || next.endedAt === null) return;
    this.ended.push(next);
    this.lastEndedAt = next.endedAt;
    this.incident = null;
  }
}

function readingOf(at: number, parts: Partial<IncidentReading>): IncidentReading {
  const quiet = { isActNow: false, since: null, waiters: 0, blockingMs: 0, actors: [] };
  const ends = { held: [], ended: null };
  return { ...ends, at, status: 'held', stuck: null, hold: null, ...quiet, ...parts };
}

const stuck = { status: 'stuck', isActNow: true, waiters: 2 } as const;
const slow = { status: 'contended', waiters: 3, blockingMs: 30_001 } as const;
const fine = {};

describe('an incident', () => {
  it('begins when the lock enters "act now", at the instant of that change', () => {
    const lock = new Watched().pass(5, fine);
    expect(lock.incident).toBeNull();
    lock.pass(1, { ...stuck, since: lock.now + 400 });
    expect(lock.incident).toMatchObject({ status: 'stuck', beganAt: START + 5_400, endedAt: null });
  });

  it('begins when the total blocking time passes 30 s, and not before', () => {
    const lock = new Watched().pass(3, { ...slow, blockingMs: 30_000 });
    expect(lock.incident).toBeNull();
    lock.pass(1, slow);
    expect(lock.incident).toMatchObject({ status: 'contended', beganAt: START + 4_000 });
  });

  it('ends after 30 s in which neither was true, dated to the start of those 30 s', () => {
    const lock = new Watched().pass(10, stuck).pass(30, fine);
    expect(lock.incident).toMatchObject({ clearedAt: START + 11_000, endedAt: null });
    lock.pass(1, fine);
    expect(lock.incident).toBeNull();
    expect(lock.ended).toMatchObject([{ endedAt: START + 11_000 }]);
  });

  it('continues if another problem follows within 30 s', () => {
    const lock = new Watched().pass(10, stuck).pass(29, fine).pass(1, slow);
    expect(lock.incident).toMatchObject({
      beganAt: START + 1_000,
      clearedAt: null,
      status: 'stuck',
    });
    lock.pass(29, fine);
    expect(lock.ended).toEqual([]);
    lock.pass(2, fine);
    expect(lock.ended).toHaveLength(1);
  });

  it('is followed by a new one that begins no earlier than the last one ended', () => {
    const lock = new Watched().pass(10, { ...stuck, since: START }).pass(31, fine);
    const before = lock.ended[0]?.endedAt ?? 0;
    lock.pass(1, { ...stuck, since: START });
    expect(lock.incident?.beganAt).toBe(before);
  });

  it('counts how long each waiter waited while something was wrong', () => {
    const lock = new Watched().pass(11, stuck).pass(20, { waiters: 5 }).pass(11, fine);
    // Ten seconds for two of them, and the second in which it ceased.
    expect(lock.ended).toMatchObject([{ waiterMs: 22_000, waitersMax: 5 }]);
  });

  it('keeps the worst status, with the facts at that moment', () => {
    const hold = { service: 'orders', owner: 'w1', token: 1, grantedAt: START };
    const reason = { kind: 'longWait', since: START, limitMs: 1 } as const;
    const lock = new Watched()
      .pass(2, { ...slow, hold: { ...hold, owner: 'w0' } })
      .pass(2, { ...stuck, hold, stuck: reason })
      .pass(2, { ...slow, hold: null });
    expect(lock.incident).toMatchObject({ status: 'stuck', facts: { hold, stuck: reason } });
  });

  it('keeps the first proof of each death, even if the lock had a worse status', () => {
    const proof = { token: 1, since: START - 5_000, witness: 'host-4', evidence: 'gone', dead: 1 };
    const orphaned = { status: 'orphaned', isActNow: true, orphaned: proof } as const;
    const later = { ...orphaned, orphaned: { ...proof, token: 2, evidence: 'reused' } };
    const lock = new Watched().pass(2, orphaned).pass(3, stuck).pass(2, later).pass(1, orphaned);
    expect(lock.incident).toMatchObject({ status: 'stuck' });
    expect(lock.incident?.facts.deaths).toEqual([
      { token: 1, at: START + 1_000, since: START - 5_000, witness: 'host-4', evidence: 'gone' },
      { token: 2, at: START + 6_000, since: START - 5_000, witness: 'host-4', evidence: 'reused' },
    ]);
  });

  it('names each operator who acted once', () => {
    const lock = new Watched()
      .pass(2, { ...stuck, actors: ['ada'] })
      .pass(2, { ...stuck, actors: ['ada', 'ben'] });
    expect(lock.incident?.actors).toEqual(['ada', 'ben']);
  });

  it('ignores a slightly earlier reading, such as one of another process', () => {
    const lock = new Watched().pass(5, stuck);
    const before = lock.incident;
    lock.now -= 3_000;
    lock.read(fine);
    expect(lock.incident).toBe(before);
  });

  it('continues, and ends 30 s after it is clear, even if the clock is set back by an hour', () => {
    const lock = new Watched().pass(5, stuck);
    const { beganAt, waiterMs = 0 } = lock.incident ?? {};
    lock.now -= 3_600_000;
    lock.pass(5, stuck);
    expect(lock.incident?.waiterMs).toBeGreaterThan(waiterMs);
    lock.pass(10, fine);
    lock.now -= 3_600_000;
    lock.pass(20, fine);
    expect(lock.incident).toMatchObject({ endedAt: null });
    lock.pass(1, fine);
    expect(lock.ended).toMatchObject([{ beganAt, endedAt: beganAt }]);
  });

  it.each([2, 60])(
    'continues within 30 s after it was clear, although the clock is set %i min ahead',
    (minutes) => {
      const hold = { service: 's', owner: 'o', token: 7, grantedAt: START };
      const lock = new Watched().pass(5, { ...stuck, hold, held: [7] }).pass(10, fine);
      const clearedAt = lock.incident?.clearedAt;
      lock.now += minutes * 60_000;
      lock.pass(20, fine);
      expect(lock.incident).toMatchObject({ clearedAt, endedAt: null });
      lock.pass(1, fine);
      expect(lock.ended).toMatchObject([{ endedAt: clearedAt }]);
    },
  );

  it('ended at its last reading if, after a gap of a night, another hold has a problem', () => {
    const hold = { service: 's', owner: 'o', token: 7, grantedAt: START };
    const before = { ...stuck, hold, held: [7], blockingMs: 20_000 };
    const lock = new Watched().pass(5, before);
    const lastReadAt = lock.now;
    lock.now += 6 * 3_600_000;
    lock.pass(2, { ...before, held: [8], hold: { ...hold, token: 8 } });
    expect(lock.ended).toMatchObject([{ endedAt: lastReadAt, waiterMs: 8_000 }]);
    expect(lock.incident).toMatchObject({ beganAt: lock.now, facts: { hold: { token: 8 } } });
  });

  it('continues after such a night if its hold does, counting only the present waits', () => {
    const hold = { service: 's', owner: 'o', token: 7, grantedAt: START };
    const before = { ...stuck, hold, held: [7], blockingMs: 20_000 };
    const lock = new Watched().pass(5, before);
    lock.now += 6 * 3_600_000;
    lock.read(before);
    expect(lock.ended).toEqual([]);
    expect(lock.incident).toMatchObject({ endedAt: null, waiterMs: 8_000 + 20_000 });
  });

  it('ends exactly once, whatever its length and the intervals between readings', () => {
    for (const gapMs of [1, 250, 1_000, 7_000, INCIDENT_QUIET_MS, 10 * INCIDENT_QUIET_MS]) {
      const lock = new Watched();
      lock.pass(3, stuck);
      for (let i = 0; i < Math.ceil(INCIDENT_QUIET_MS / gapMs) + 1; i += 1) {
        lock.now += gapMs;
        lock.read(fine);
      }
      expect([gapMs, lock.ended.length, lock.incident]).toEqual([gapMs, 1, null]);
    }
  });
});

describe("the end of an incident's hold", () => {
  const hold = { service: 's', owner: 'o', token: 7, grantedAt: 1_000 };
  const facts = { stuck: null, hold };

  it('is the recorded end of the hold with its token', () => {
    const holds = [
      { token: 6, to: 900 },
      { token: 7, to: 5_000 },
    ];
    expect(withHoldEnd(facts, holds).hold).toEqual({ ...hold, endedAt: 5_000 });
  });

  it('is noticed while the incident is open, at the instant that the lock reports, if any', () => {
    const lock = new Watched().pass(5, { ...stuck, hold, held: [7] });
    expect(lock.incident?.facts.hold).toEqual(hold);
    const end = { token: 7, at: lock.now + 300 };
    lock.pass(2, { ...slow, held: [8], ended: end });
    lock.pass(2, { ...slow, held: [9], ended: { token: 8, at: lock.now } });
    expect(lock.incident?.facts.hold).toEqual({ ...hold, endedAt: end.at });
  });

  it('is the first reading without the hold if the lock no longer reports when it ended', () => {
    const lock = new Watched().pass(5, { ...stuck, hold, held: [7, 8] }).pass(3, fine);
    expect(lock.incident?.facts.hold?.endedAt).toBe(START + 6_000);
  });

  it('is absent if none is recorded', () => {
    expect(withHoldEnd(facts, [{ token: 7, to: null }])).toBe(facts);
    expect(withHoldEnd(facts, [{ token: 8, to: 6_000 }])).toBe(facts);
  });
});

test('the worst blocking time comes from recorded waits, even between two readings', () => {
  const read = { beganAt: 10_000, endedAt: 60_000, readAt: 90_000, blockingMaxMs: 40_000 };
  const wait = (from: number, to: number | null) => ({ from, to });
  const waits = [wait(5_000, 30_400), wait(10_000, 30_400), wait(29_000, 31_000)];
  expect(withWorstBlocking(read, waits).blockingMaxMs).toBe(25_400 + 20_400 + 1_400);
  // Before it began, after it ended, and where no wait counts.
  expect(withWorstBlocking(read, [wait(-90_000, 9_999), wait(61_000, 200_000)])).toEqual(read);
  expect(withWorstBlocking({ ...read, blockingMaxMs: 0 }, waits).blockingMaxMs).toBe(0);
  const open = { ...read, endedAt: null };
  expect(withWorstBlocking(open, [wait(10_000, null)]).blockingMaxMs).toBe(80_000);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventKind, LockEvent } from '../../core/lock/lock-event';
import { TestClock } from '../../platform/testing/test-clock';
import { patientStores } from '../../storage/conformance/contract/contract-stores';
import { creation, freshKey, update } from '../../storage/conformance/testing/changes';
import type { StoreUnderTest } from '../../storage/conformance/testing/stores-under-test';
import type { Change } from '../../storage/record-store';
import { EventTally } from '../metrics/event-tally';
import { BUNDLE_MS } from './bundled-events';
import { LockPast } from './lock-past';
import { EventRecorder } from './recorder/event-recorder';

const START = Date.UTC(2026, 10, 20, 8);

/** Events this far apart have rows of their own. */
const APART = BUNDLE_MS + 1_000;

describe.each(['sqlite', 'mysql'] as const)('the timeline of a lock over %s', (name) => {
  let under: StoreUnderTest;
  let clock: TestClock;
  let recorder: EventRecorder;
  let key = freshKey();
  let record: { rev: number; writer: string } | null = null;

  beforeAll(async () => {
    under = await patientStores[name].open();
    clock = new TestClock(START);
    const backend = { id: 'default', history: under.store };
    recorder = new EventRecorder(under.database, backend, clock, new EventTally());
  });
  beforeEach(() => {
    key = freshKey();
    record = null;
  });
  afterAll(() => under.close());

  const write = async (events: LockEvent[]) => {
    const change: Change = record ? update(key, record, { events }) : creation(key, { events });
    await under.store.swap([change]);
    record = change;
    await recorder.record();
  };

  const event = (kind: EventKind, at: number, rev: number, more: Partial<LockEvent> = {}) => ({
    kind,
    at,
    rev,
    service: 'orders',
    owner: 'o',
    token: 1,
    ...more,
  });

  const holdsSince = async (from: number, to: number) => {
    const { holds, since } = await new LockPast(under.database).timeline(key, from, to);
    return { holds: holds.map((bar) => [bar.from - START, bar.to && bar.to - START]), since };
  };

  it('finds the grant of a hold behind more renewals than are read at once', async () => {
    const renewals = Array.from({ length: 700 }, (_, i) => event('renewed', START + i * APART, 2));
    await write([event('granted', START, 1), ...renewals]);
    expect(await holdsSince(START, START + 800 * APART)).toEqual({
      holds: [[0, null]],
      since: START,
    });
    const heldMs = 750 * APART;
    await write([event('released', START + heldMs, 3, { heldMs })]);
    expect((await holdsSince(START + 740 * APART, START + 800 * APART)).holds).toEqual([
      [0, heldMs],
    ]);
  });

  it('says from when it is complete if there are too many events', async () => {
    const renewals = Array.from({ length: 7_000 }, (_, i) => {
      return event('renewed', START + i * APART, 2);
    });
    await write([event('granted', START, 1), ...renewals]);
    const { holds, since } = await holdsSince(START, START + 7_000 * APART);
    expect(holds).toEqual([]);
    expect(since).toBe(START + 1_000 * APART);
  });

  it('lists the first 300 events of a story, and counts the others', async () => {
    const all = Array.from({ length: 200 }, (_, i) => {
      const [at, token] = [START + i * 1_000, i + 1];
      const released = event('released', at + 500, 2 * token, { token, heldMs: 500 });
      return [event('granted', at, 2 * token - 1, { token }), released];
    }).flat();
    await write(all);
    const past = new LockPast(under.database);
    const { events, moreEvents } = await past.story(key, START, START + 200_000, null);
    expect(events.map(({ rev }) => rev)).toEqual(all.slice(0, 300).map(({ rev }) => rev));
    expect(moreEvents).toBe(100);
    expect(await past.story(key, START, START + 100_000, null)).toMatchObject({ moreEvents: 0 });
  });

  it('finds what happened long ago, however much has happened since', async () => {
    const holds = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => {
        const [at, token, rev] = [from + i * APART, from + i, 2 * i + 1];
        const released = event('released', at + 500, rev + 1, { token, heldMs: 500 });
        return [event('granted', at, rev, { token }), released];
      }).flat();
    const later = START + 30 * APART;
    await write([...holds(3, START), event('granted', START + 3 * APART, 7)]);
    await write([event('released', START + 9 * APART, 8, { heldMs: 6 * APART })]);
    await write(holds(3_100, later).map((one) => ({ ...one, rev: one.rev + 8 })));
    const { holds: found, since } = await holdsSince(START, START + 5 * APART);
    expect(since).toBe(START);
    expect(found).toEqual([
      [0, 500],
      [APART, APART + 500],
      [2 * APART, 2 * APART + 500],
      [3 * APART, 9 * APART],
    ]);
  });
});

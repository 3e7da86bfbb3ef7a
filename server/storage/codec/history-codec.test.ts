import { describe, expect, it } from 'vitest';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { RecordEvent } from '../../core/record-event';
import { creation, eventOf } from '../conformance/testing/changes';
import type { RecordKey } from '../record-store';
import { encodeEventTexts } from './event-codec';
import { decodeHistory, encodeHistory } from './history-codec';

const KEY = { namespace: 'default', name: 'stock', kind: 'counter' } as const;

/** The events of one change after encoding and decoding. */
function readBack(events: RecordEvent[], key: RecordKey = KEY): RecordEvent[] {
  const change = creation(key, { events, rev: 20, writer: 'w' });
  const changes = encodeHistory([change]);
  return decodeHistory({ id: 1, at: 1, changes, took: 'w' }).changes.flatMap((read) => read.events);
}

const step = (rev: number, delta: number, value: number, more = {}): CounterEvent => ({
  kind: 'added',
  at: 5,
  rev,
  service: 'orders',
  delta,
  value,
  ...more,
});

it('increments are read back as they were written, whatever is between them', () => {
  const person = { service: '', by: 'ana', reason: 'why' };
  const events: RecordEvent[] = [
    { kind: 'created', at: 5, rev: 10, service: 'orders', value: 0, floor: null, ceiling: 9 },
    step(11, 3, 3),
    step(12, -1, 2),
    step(13, 5, 7, { service: 'billing' }),
    step(14, 1, 8, { service: 'billing', at: 6 }),
    step(15, 1, 9, person),
    step(16, -4, 5),
    { kind: 'rebound', at: 5, rev: 17, ...person, value: 5, floor: 0, ceiling: null },
    step(18, 1, 6),
    step(20, 1, 8),
  ];
  expect(readBack(events)).toEqual(events);
});

it('events of locks are read back as they were written', () => {
  const events = [eventOf(19), eventOf(20, 'w2')];
  expect(readBack(events, { namespace: 'default', name: 'job' })).toEqual(events);
});

it('hundreds of steps take a few bytes each', () => {
  const events = Array.from({ length: 500 }, (_, i) => step(i + 1, -1, 1_000_000 - i));
  const text = encodeHistory([creation(KEY, { events, rev: 500, writer: 'w' })]);
  expect(text.length).toBeLessThan(500 * 4);
});

describe('the text of a history', () => {
  const lock: RecordEvent[] = [
    { ...eventOf(19, 'Zoë "2"'), meta: { why: "it's 1" }, waitedMs: 0 },
    { ...eventOf(20), kind: 'granted', waitedMs: 7, meta: {} },
  ];
  const counter = [step(18, 3, 3), step(19, -1, 2), step(20, 1, 5)];

  it('is the same whether or not its events are already texts', () => {
    for (const events of [lock, counter]) {
      const plain = creation(KEY, { events, rev: 20 });
      const encoded = { ...plain, eventTexts: encodeEventTexts(events, 20) };
      expect(encodeHistory([encoded])).toBe(encodeHistory([plain]));
    }
  });

  it('never contains the texts of other events, or of another rev', () => {
    const eventTexts = encodeEventTexts(lock, 20);
    const plain = creation(KEY, { events: lock.slice(0, 1), rev: 20 });
    expect(encodeHistory([{ ...plain, eventTexts }])).toBe(encodeHistory([plain]));
    const later = creation(KEY, { events: lock, rev: 21 });
    expect(encodeHistory([{ ...later, eventTexts }])).toBe(encodeHistory([later]));
  });

  it('is also read as earlier versions wrote it', () => {
    const changes =
      '[["w","default/a",20,[["renewed",1000,1,"orders","o",19,{"meta":{"a":"b"}}],' +
      '["granted",1000,0,"orders","p",20]]],["x","default/b",3,[["queued",1,0,"s","o",0]]],' +
      '["y","default/#c",8,[["run",5,2,"orders",4,[1,-2,3]]]]]';
    const [first, second] = decodeHistory({ id: 1, at: 1, changes, took: 'w,y' }).changes;
    expect(first?.events).toEqual([
      { ...eventOf(19, 'o'), meta: { a: 'b' } },
      { ...eventOf(20, 'p'), kind: 'granted' },
    ]);
    expect(second?.events).toEqual([step(6, 1, 5), step(7, -2, 3), step(8, 3, 6)]);
  });
});

describe('a commit that was overwritten by hand', () => {
  const stored = (events: string) => `[["w","default/a",2,[${events}]]]`;

  it.each([
    ['with a text', 'granted to me'],
    ['with nothing', ''],
    ['with other JSON', '{"granted":"me"}'],
    ['with a change that is none', '[7]'],
    ['with an event that is none', stored('null')],
    ['with an event without its instant', stored('["granted"]')],
    ['with an instant that is a text', stored('["granted","now",0,"s","o",1]')],
    ['with a step of a counter without its value', '[["w","a#b",2,[["added",1,0,"s","",0]]]]'],
  ])('%s is unreadable', (_, changes) => {
    const row = decodeHistory({ id: 7, at: 5, changes, took: 'w' });
    expect(row).toEqual({ id: 7, at: 5, changes: [], isUnreadable: true });
  });

  it('with another instant that is no number is unreadable', () => {
    const changes = encodeHistory([creation(KEY, { events: [step(20, 1, 1)], rev: 20 })]);
    const row = decodeHistory({ id: 7, at: Number.NaN, changes, took: 'w' });
    expect(row).toMatchObject({ id: 7, changes: [], isUnreadable: true });
  });
});

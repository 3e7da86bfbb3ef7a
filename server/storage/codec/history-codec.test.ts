import { expect, it } from 'vitest';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { RecordEvent } from '../../core/record-event';
import { creation, eventOf } from '../conformance/testing/changes';
import { decodeHistory, encodeHistory } from './history-codec';

const KEY = { namespace: 'default', name: 'stock', kind: 'counter' } as const;

/** What is read back of one change with these events. */
function readBack(events: RecordEvent[]): RecordEvent[] {
  const change = creation(KEY, { events, rev: 20, writer: 'w' });
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

it('increments are read back as they were written, whatever comes between them', () => {
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
  expect(readBack(events)).toEqual(events);
});

it('hundreds of steps cost a few bytes each', () => {
  const events = Array.from({ length: 500 }, (_, i) => step(i + 1, -1, 1_000_000 - i));
  const text = encodeHistory([creation(KEY, { events, rev: 500, writer: 'w' })]);
  expect(text.length).toBeLessThan(500 * 4);
});

import { describe, expect, test } from 'vitest';
import type { EventRow } from '@/server/contract/console/lock-row';
import { EVENT_KINDS } from '@/server/core/lock/lock-event';
import { eventDetail, eventLook } from './event-labels';

const event = (part: Partial<EventRow>): EventRow => ({
  id: '1',
  at: 0,
  rev: 1,
  kind: 'granted',
  service: 's',
  owner: 'o',
  token: 1,
  waitedMs: null,
  heldMs: null,
  expiresAt: null,
  permits: null,
  capacity: null,
  by: null,
  reason: null,
  ...part,
});
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

test('every kind of event has a label of its own', () => {
  const words = EVENT_KINDS.map((kind) => eventLook(kind).label);
  expect(new Set(words).size).toBe(EVENT_KINDS.length);
  expect(eventLook('later-kind').label).toBe('later-kind');
});

describe('the details of an event', () => {
  test.each([
    [event({ waitedMs: 0 }), 'immediately'],
    [event({ waitedMs: 1_100 }), 'after waiting 1.1 s'],
    [event({ kind: 'timeout', waitedMs: 600_000 }), 'after waiting 10 m 00 s'],
    [event({ kind: 'released', heldMs: 47_000 }), 'held 47 s'],
    [event({ kind: 'kept', at: 1_000, expiresAt: 61_000 }), 'for another 1 m 00 s'],
    [
      event({ kind: 'forced', heldMs: 60_000, by: 'Ana', reason: 'worker gone' }),
      'by Ana: “worker gone”, held 1 m 00 s',
    ],
    [event({ kind: 'withdrawn', waitedMs: 729 }), 'queue position kept'],
    [event({ kind: 'renewed' }), ''],
  ])('%#', (given, words) => {
    expect(plain(eventDetail(given))).toBe(words);
  });
});

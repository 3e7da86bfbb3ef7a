import { expect, it } from 'vitest';
import { GateEntries } from './gate-entries';
import type { GateEntry } from './gate-entry';

const ONE_LESS = { down: 1, up: 0 };

it('of many counters those are kept that have steps under way or messages without a reply', () => {
  const touched = new Set<GateEntry>();
  let crowded = 0;
  const entries = new GateEntries(
    () => {
      crowded += 1;
    },
    (entry) => touched.has(entry),
  );
  const idle = entries.of('idle');
  const busy = entries.of('busy');
  busy.begin(ONE_LESS);
  const ended = entries.of('ended');
  ended.begin(ONE_LESS);
  ended.end(ONE_LESS);
  const sent = entries.of('sent');
  sent.note({ rev: 1, value: 0 });
  sent.takeMessages(0);
  const wanted = entries.of('wanted');
  touched.add(wanted);
  for (let i = 0; i < 20_000; i += 1) entries.of(`other ${i}`);
  expect(crowded).toBe(1);
  expect([...entries.values()].length).toBeLessThanOrEqual(20_000);
  for (const entry of [busy, ended, sent, wanted]) expect(entries.get(entry.id)).toBe(entry);
  expect([busy, ended, sent, wanted].every(({ isKept }) => isKept)).toBe(true);
  expect(entries.of('idle')).not.toBe(idle);
  expect(idle.isKept).toBe(false);
  ended.forgetUnsent();
  expect(ended.isIdle).toBe(true);
});

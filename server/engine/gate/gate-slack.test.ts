import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GateReply } from '../../storage/redis-gate/gate-store';
import { ANNOUNCED_FOR_MS, GateEntry } from './gate-entry';
import { GateSlack } from './gate-slack';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const ONE_LESS = { down: 1, up: 0 };
const REPLY: GateReply = {
  state: { rev: 1, value: 10, floor: 0, ceiling: null },
  underWay: ONE_LESS,
  readIsDue: false,
  wasCorrected: false,
  asOf: 0,
  askAgainAt: 0,
};

/** A counter of which one step was announced, and is over. */
function withSlack(id: string): GateEntry {
  const entry = new GateEntry(id);
  entry.begin(ONE_LESS);
  entry.takeMessages(0);
  entry.receive(REPLY);
  entry.end(ONE_LESS);
  return entry;
}

it('what was announced in advance for a counter is withdrawn only by its current entry', () => {
  let now = 0;
  const sent: string[] = [];
  const slack = new GateSlack(
    () => now,
    ({ id }) => sent.push(id),
  );
  const [kept, dropped] = [withSlack('kept'), withSlack('dropped')];
  for (const entry of [kept, dropped]) slack.note(entry);
  dropped.isKept = false;
  now = 2 * ANNOUNCED_FOR_MS;
  vi.advanceTimersByTime(ANNOUNCED_FOR_MS);
  slack.stop();
  expect(sent).toEqual(['kept']);
});

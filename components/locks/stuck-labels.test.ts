import { describe, expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { StuckReason } from '@/server/core/status/stuck-reason';
import { stuckLabel, stuckSentence } from './stuck-labels';

const now = 10_000_000;
const asked = { by: 'Ana', reason: 'deploy', at: now - 120_000 };
const row = (stuck: StuckReason | null, waiters: number) =>
  ({
    stuck,
    waiters,
    oldestWaitAt: now - 724_000,
    hold: { grantedAt: now - 1_864_000, askedToRelease: asked },
  }) as Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt'>;
const own = { since: now - 1, limitMs: 1_000_000, p99Ms: 200_000 };
const fixed = { since: now - 1, limitMs: 300_000, p99Ms: null };

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

describe('why a lock is stuck is said in words', () => {
  test.each<[StuckReason | null, number, string, string]>([
    [null, 1, '', ''],
    [
      { kind: 'longHold', ...own },
      14,
      '9.3 × its p99, 14 wait',
      'Held 31 m 04 s, 9.3 × its own p99 of 3 m 20 s, and 14 wait.',
    ],
    [
      { kind: 'longHold', ...fixed },
      1,
      'past 5 min, 1 waits',
      'Held 31 m 04 s, past the 5 min that its namespace allows, and 1 waits.',
    ],
    [
      { kind: 'longWait', since: now - 1, limitMs: 600_000 },
      2,
      'waits past 10 min',
      'Somebody has waited 12 m 04 s; its namespace allows 10 min.',
    ],
    [
      { kind: 'idleRenewals', wish: 'gaveUp', ...own },
      0,
      'renews on, waiters gave up',
      'Held 31 m 04 s, 9.3 × its own p99 of 3 m 20 s, and renewed on and on until whoever waited gave up.',
    ],
    [
      { kind: 'idleRenewals', wish: 'asked', ...fixed },
      0,
      'renews on, though asked',
      'Held 31 m 04 s, past the 5 min that its namespace allows, and renewed on and on though Ana asked it to let go 2 m 00 s ago.',
    ],
  ])('%#', (stuck, waiters, few, whole) => {
    expect(plain(stuckLabel(row(stuck, waiters), now))).toBe(few);
    expect(plain(stuckSentence(row(stuck, waiters), now))).toBe(whole);
  });
});

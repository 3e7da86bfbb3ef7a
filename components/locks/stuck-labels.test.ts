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

describe('the label and the sentence say why a lock is stuck', () => {
  test.each<[StuckReason | null, number, string, string]>([
    [null, 1, '', ''],
    [
      { kind: 'longHold', ...own },
      14,
      '9.3 × its p99, 14 waiting',
      'Held 31 m 04 s, 9.3 × its p99 of 3 m 20 s, with 14 waiting.',
    ],
    [
      { kind: 'longHold', ...fixed },
      1,
      'over 5 min limit, 1 waiting',
      'Held 31 m 04 s, over the namespace limit of 5 min, with 1 waiting.',
    ],
    [
      { kind: 'longWait', since: now - 1, limitMs: 600_000 },
      2,
      'wait over 10 min limit',
      'Oldest waiter: 12 m 04 s, over the namespace limit of 10 min.',
    ],
    [
      { kind: 'idleRenewals', wish: 'gaveUp', ...own },
      0,
      'still renewing, waiters timed out',
      'Held 31 m 04 s, 9.3 × its p99 of 3 m 20 s, still renewing though all waiters timed out.',
    ],
    [
      { kind: 'idleRenewals', wish: 'asked', ...fixed },
      0,
      'still renewing after release request',
      'Held 31 m 04 s, over the namespace limit of 5 min, still renewing 2 m 00 s after Ana asked it to release.',
    ],
  ])('%#', (stuck, waiters, few, whole) => {
    expect(plain(stuckLabel(row(stuck, waiters), now))).toBe(few);
    expect(plain(stuckSentence(row(stuck, waiters), now))).toBe(whole);
  });
});

import { describe, expect, test } from 'vitest';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import type { StuckReason } from '@/server/core/status/stuck-reason';
import {
  leaseLabel,
  reasonLabel,
  renewalDueLabel,
  shownToken,
  stuckLabel,
  unknownLabel,
  waitersLabel,
} from './lock-labels';

const now = 10_000_000;
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

const asked = { by: 'Ana', reason: 'deploy', at: now - 120_000 };
const stuckRow = (stuck: StuckReason | null, waiters: number) =>
  ({
    stuck,
    waiters,
    oldestWaitAt: now - 724_000,
    refused: { attempts: 214, owners: 6, areMore: false, lastAt: now - 6_000 },
    hold: { grantedAt: now - 1_864_000, askedToRelease: asked },
  }) as Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt' | 'refused'>;
const own = { since: now - 1, limitMs: 1_000_000, p99Ms: 200_000 };
const fixed = { since: now - 1, limitMs: 300_000, p99Ms: null };

describe('the label says why a lock is stuck', () => {
  test.each<[StuckReason | null, number, string]>([
    [null, 1, ''],
    [{ kind: 'longHold', ...own }, 14, '9.3 × p99, 14 waiting'],
    [{ kind: 'longHold', ...fixed }, 1, 'over 5 min limit, 1 waiting'],
    [{ kind: 'longWait', since: now - 1, limitMs: 600_000 }, 2, 'wait over 10 min limit'],
    [{ kind: 'refusals', ...own }, 0, '9.3 × p99, 214 attempts refused'],
    [{ kind: 'idleRenewals', wish: 'gaveUp', ...own }, 0, 'still renewing, waiters timed out'],
    [{ kind: 'idleRenewals', wish: 'asked', ...fixed }, 0, 'still renewing after release request'],
  ])('%#', (stuck, waiters, few) => {
    expect(plain(stuckLabel(stuckRow(stuck, waiters), now))).toBe(few);
  });
});

const row = (part: Partial<LockRow>): LockRow => ({
  id: 'x',
  namespace: 'stock',
  name: 'sku',
  backend: 'default',
  rev: 1,
  status: 'contended',
  hold: {
    token: 7,
    mode: 'exclusive',
    service: 's',
    owner: 'o',
    holdCount: 1,
    leaseMs: 30_000,
    grantedAt: now - 1_864_000,
    renewedAt: now - 4_000,
    renewals: 312,
    expiresAt: now + 26_000,
    waitedMs: 0,
    meta: {},
    askedToRelease: null,
    renewalsStopped: null,
  },
  holders: 1,
  stuck: null,
  frozen: null,
  delayedUntil: 0,
  ended: null,
  waiters: 14,
  oldestWaitAt: now - 552_000,
  ownHold: null,
  readAt: now,
  ...part,
});
const held = row({}).hold as NonNullable<LockRow['hold']>;
const blocked = { callers: 14, sinceSum: 14 * now };
const deadFor = (ms: number) => ({
  since: now - ms,
  dead: 1,
  token: 7,
  witness: 'host',
  evidence: '',
});
const brief = { p50Ms: 1_000, p99Ms: 200_000, count: 90 };
const day = { p50Ms: 3_600_000, p99Ms: 86_400_000, count: 90 };
const released = { ...held, releasedAt: now - 3_000, keptUntil: now + 26_000 };
const ended = {
  owner: 'o',
  service: 's',
  token: 7,
  cause: 'expired' as const,
  grantedAt: 0,
  at: now - 38_000,
};

const forced = { ...ended, cause: 'forced' as const, at: now - 8_000 };

const SERVES = { silentMs: 0, refusal: null };

describe('the reason explains the status', () => {
  test.each([
    [row({ status: 'held' }), ''],
    [row({ status: 'held', hold: released }), 'released, frees in 00:26'],
    [row({ status: 'contended', hold: released }), 'released, frees in 00:26'],
    [row({ status: 'free', hold: { ...released, expiresAt: now - 38_000 } }), 'released 38 s ago'],
    [row({ status: 'contended', blocked }), 'steady'],
    [row({ status: 'contended', blocked, ownHold: day }), 'under p99, steady'],
    [row({ status: 'contended', blocked, namespaceHold: brief }), '9.3 × p99 of namespace'],
    [row({ status: 'contended' }), '14 standbys'],
    [
      row({ status: 'held', hold: { ...held, grantedAt: now - 8_000 }, ended: forced }),
      'granted 8 s ago, after a force release',
    ],
    [row({ status: 'held', ended: { ...forced, at: now - 31_000 } }), ''],
    [row({ status: 'contended', hold: null }), 'handing over'],
    [
      row({ status: 'expiring', hold: { ...held, renewedAt: now - 26_000 } }),
      'renewal overdue by 16 s',
    ],
    [row({ status: 'expiring', hold: { ...held, renewedAt: now - 10_400 } }), 'renewal overdue'],
    [
      row({ status: 'delayed', hold: null, delayedUntil: now + 3_900 }),
      'grants paused, available in 3 s',
    ],
    [
      row({ status: 'delayed', hold: null, delayedUntil: now + 900 }),
      'grants paused, available in less than 1 s',
    ],
    [row({ status: 'orphaned', orphaned: deadFor(744_000) }), 'process dead for 12 m'],
    [row({ status: 'orphaned', orphaned: deadFor(9_000), holders: 4 }), '1 of 4 dead for 9 s'],
    [row({ status: 'expired', hold: null, ended }), 'expired 38 s ago'],
    [row({ status: 'unknown' }), 'default not responding (41 s)'],
    [row({ status: 'unknown', unreadable: 'It is no JSON.' }), 'record unreadable'],
    [
      row({ status: 'free', hold: null, ended: { ...ended, cause: 'forced' } }),
      'force-released 38 s ago',
    ],
    [row({ status: 'free', hold: null }), ''],
  ])('%#', (given, words) => {
    expect(plain(reasonLabel(given, now, { silentMs: 41_000, refusal: null }))).toBe(words);
  });

  test('for a lock of unknown state it says why the state is not known', () => {
    expect(unknownLabel(row({ status: 'free', hold: null }), null)).toBeNull();
    const unknown = row({ status: 'unknown' });
    expect(unknownLabel(unknown, null)).toBe('unknown: backend not responding');
    for (const outage of ['rejecting requests', 'disabled on this server'] as const) {
      expect(unknownLabel(unknown, outage)).toBe(`unknown: backend ${outage}`);
      const refusal = { outage, reason: 'It is full.' };
      expect(plain(reasonLabel(unknown, now, { silentMs: 41_000, refusal }))).toBe(
        `default ${outage} (41 s)`,
      );
    }
    const unreadable = row({ status: 'unknown', unreadable: 'It is no JSON.' });
    expect(unknownLabel(unreadable, null)).toBe('unknown: record unreadable');
  });

  test('a deadlock, which the row names, is reason enough for a lock in ordinary demand', () => {
    const isDeadlocked = true;
    const contended = row({ status: 'contended', blocked, namespaceHold: brief });
    expect(reasonLabel(contended, now, SERVES, isDeadlocked)).toBe('');
    const long = row({ status: 'contended', blocked, ownHold: brief });
    expect(plain(reasonLabel(long, now, SERVES, isDeadlocked))).toContain('× p99');
  });
});

test('a renewal is overdue from the first whole second on', () => {
  expect(plain(renewalDueLabel(4_200))).toBe('due in 4 s');
  expect(renewalDueLabel(-400)).toBe('due now');
  expect(plain(renewalDueLabel(-1_000))).toBe('overdue by 1 s');
});

test('the countdown of an expired lease is negative', () => {
  expect(leaseLabel(row({ status: 'expired', hold: null, ended }), now)).toBe('−00:38');
  expect(leaseLabel(row({}), now)).toBe('00:26');
  expect(leaseLabel(row({ status: 'free', hold: null }), now)).toBe('–');
});

test('the token beside the name of a lock is of the hold in view, else the last one', () => {
  expect(shownToken({ token: 41 } as HoldRow, 47)).toEqual({ label: 'token', token: 41 });
  expect(shownToken(null, 47)).toEqual({ label: 'last token', token: 47 });
  expect(shownToken(null, 0)).toBeNull();
});

test('the waiters of a row are counted once, as standbys where they are', () => {
  const blocked = { callers: 14, sinceSum: now };
  const label = (part: Partial<LockRow>) => {
    const of = row(part);
    return plain(waitersLabel(of, reasonLabel(of, now, SERVES)));
  };
  expect(label({ blocked })).toBe('14 waiting');
  expect(label({ waiters: 2 })).toBe('');
  expect(label({ waiters: 1, ownHold: { p50Ms: 1, p99Ms: 200_000, count: 50 } })).toBe('1 standby');
  expect(label({ waiters: 0 })).toBe('');
  expect(label({ status: 'stuck', blocked })).toBe('');
  expect(label({ status: 'unknown', blocked })).toBe('');
});

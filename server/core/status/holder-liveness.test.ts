import { describe, expect, test } from 'vitest';
import type { Hold } from '../lock/lock-record';
import { livenessOf, orphanReason, type WitnessReport } from './holder-liveness';

const T = 1_000_000_000;
const hold = { grantedAt: T - 60_000, renewedAt: T - 60_000, renewals: 0 };
const report = (parts: Partial<WitnessReport> = {}): WitnessReport => ({
  kind: 'host',
  witness: 'host-4',
  state: 'alive',
  firstAt: T - 5_000,
  at: T - 1_000,
  since: null,
  evidence: 'pid 4127 is running',
  ...parts,
});
const dead = (parts: Partial<WitnessReport> = {}) =>
  report({ state: 'dead', evidence: 'pid 4127 is gone', ...parts });
const pod = (parts: Partial<WitnessReport> = {}) =>
  report({ kind: 'url', witness: 'pods', evidence: 'Running', ...parts });

describe('a holder', () => {
  test('is unknown, however old it is, if no witness has said anything', () => {
    const old = { grantedAt: 1, renewedAt: 1, renewals: 900 };
    expect(livenessOf(old, [], T)).toMatchObject({ state: 'unknown', kind: null, at: null });
  });

  test('that renews is alive for 30 s after it, then unknown', () => {
    const renewing = { ...hold, renewals: 3, renewedAt: T - 30_000 };
    const verdict = { state: 'alive', kind: 'renewals', evidence: 'renewed 3 times' };
    expect(livenessOf(renewing, [], T)).toMatchObject({ ...verdict, at: T - 30_000 });
    expect(livenessOf(renewing, [], T + 1)).toMatchObject({ state: 'unknown' });
  });

  test('is alive for 30 s after a witness saw it, then unknown', () => {
    expect(livenessOf(hold, [report()], T)).toMatchObject({ state: 'alive', at: T - 1_000 });
    const later = livenessOf(hold, [report()], T + 29_001);
    expect(later).toMatchObject({ state: 'unknown', witness: 'host-4', at: T - 1_000 });
  });

  test('is dead once its kernel says so, for the rest of the hold', () => {
    const verdict = { state: 'dead', evidence: 'pid 4127 is gone', since: T - 5_000 };
    expect(livenessOf(hold, [dead()], T)).toMatchObject(verdict);
    expect(livenessOf(hold, [dead()], T + 86_400_000)).toMatchObject(verdict);
    expect(livenessOf(hold, [dead(), pod()], T), 'the pod lives on').toMatchObject(verdict);
  });

  test('that renews after it was proven dead is alive: another process keeps the hold', () => {
    const underWay = { ...hold, renewals: 1, renewedAt: T - 3_000 };
    expect(livenessOf(underWay, [dead()], T)).toMatchObject({ state: 'dead' });
    const kept = { ...hold, renewals: 1, renewedAt: T - 2_999 };
    expect(livenessOf(kept, [dead()], T)).toMatchObject({ state: 'alive', kind: 'renewals' });
    expect(livenessOf(kept, [dead()], T + 60_000)).toMatchObject({ state: 'unknown' });
  });

  test('is not confused with an earlier pod of the same name', () => {
    const gone = pod({ state: 'dead', since: hold.grantedAt - 1 });
    expect(livenessOf(hold, [gone], T)).toMatchObject({ state: 'unknown' });
    const now = pod({ state: 'dead', since: hold.grantedAt });
    expect(livenessOf(hold, [now], T)).toMatchObject({ state: 'dead', since: hold.grantedAt });
  });

  test('is unknown if its pod is reported dead while its kernel sees it running', () => {
    const verdict = livenessOf(hold, [pod({ state: 'dead' }), report()], T);
    expect(verdict).toMatchObject({ state: 'unknown' });
    expect(verdict.evidence).toContain('disagree');
    const before = report({ firstAt: T - 9_000, at: T - 6_000 });
    expect(livenessOf(hold, [pod({ state: 'dead' }), before], T).state).toBe('dead');
  });
});

describe('a lock', () => {
  const live: Hold = {
    ...hold,
    token: 7,
    mode: 'shared',
    service: 'billing',
    owner: 'one',
    count: 1,
    leaseMs: 600_000,
    expiresAt: T + 600_000,
    waitedMs: 0,
    rev: 1,
    meta: {},
    requests: [],
    requestsKeptUntil: 0,
    askedToRelease: null,
    renewalsStopped: null,
  };

  test('is orphaned while the lease of a dead holder lasts, with or without others', () => {
    const other = { ...live, token: 8, owner: 'two' };
    const reportsOn = ({ token }: Hold) => (token === 7 ? [dead()] : [report()]);
    const reason = orphanReason([other, live], reportsOn, T);
    expect(reason).toEqual({
      token: 7,
      since: T - 5_000,
      witness: 'host-4',
      evidence: 'pid 4127 is gone',
      dead: 1,
    });
    expect(orphanReason([live], reportsOn, live.expiresAt)).toBeNull();
    expect(orphanReason([other], reportsOn, T)).toBeNull();
  });

  test('that was released and is only kept for a while needs no process', () => {
    expect(orphanReason([{ ...live, releasedAt: T }], () => [dead()], T)).toBeNull();
  });
});

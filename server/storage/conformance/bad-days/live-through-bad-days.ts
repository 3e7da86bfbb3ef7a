import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORE_RETRY_MS } from '../../../core/timing';
import { checkHistory } from '../../../engine/testing/history-checker';
import { newSeed } from '../../../engine/testing/seeded';
import { type DayReport, liveThrough } from '../testing/bad-day';
import {
  BAD_DAYS,
  type BadDay,
  type ServerKind,
  type ServerUnderTest,
} from '../testing/server-kind';
import { type ServerName, serversUnderTest } from '../testing/servers-under-test';

/**
 * The promise is 5 s until an answer (plus the requested wait), and until service resumes; the rest
 * is tolerance for a busy machine.
 */
const WITHIN_MS = 8_000;

/**
 * The only days that shards live through in the short run: one that they notice late, and one that
 * they notice at once. A store that is a shard lives through all of them by itself.
 */
const SAMPLED_DAYS: readonly BadDay[] = ['stopped', 'killed and restarted'];

/** A call on a good day takes some milliseconds. */
const NOTICED_MS = 400;

/**
 * Tests the store of that name on all of its bad days. One file per store, so that they run in
 * parallel.
 */
export function liveThroughBadDays(name: ServerName): void {
  const kind = serversUnderTest[name];
  describe(`a store in ${name}`, () => suite(kind));
}

function suite(kind: ServerKind): void {
  const isSampled = kind.isPartOfMore && process.env.TEST_LONG !== '1';
  const days = isSampled ? SAMPLED_DAYS : BAD_DAYS;
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await kind.start();
  }, 60_000);
  afterAll(() => server?.stop());

  describe.each(days.filter((day) => !kind.cannotHave[day]))('that is %s', (day) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    let report: DayReport;
    beforeAll(async () => {
      const seed = newSeed();
      console.info(`${day}: seed ${seed}`);
      process.on('unhandledRejection', note);
      report = await liveThrough(server, { day, isShared: kind.isShared, seed });
    });
    afterAll(() => {
      process.off('unhandledRejection', note);
    });

    it('has an effect: some callers are refused or delayed', () => {
      const { careful, beganAt, endedAt } = report;
      const then = careful.filter(({ startedAt }) => startedAt > beganAt && startedAt < endedAt);
      expect(then.length).toBeGreaterThan(20);
      // A retried call may finally be granted, sometimes after a single pause.
      const affected = then.filter(
        ({ outcome, tookMs }) =>
          tookMs > STORE_RETRY_MS || !['granted', 'applied'].includes(outcome),
      );
      expect(affected).not.toEqual([]);
    });

    it('answers every caller within 5 s with what is known', () => {
      const { careful, calls, stalledMs } = report;
      expect(careful.filter(({ isTyped }) => !isTyped)).toEqual([]);
      const slow = careful.filter(({ tookMs }) => tookMs > WITHIN_MS + stalledMs);
      const late = calls.filter(({ startedAt, endedAt, waitMs = 0 }) => {
        const tookMs = (endedAt ?? Number.POSITIVE_INFINITY) - startedAt;
        return tookMs > WITHIN_MS + waitMs + stalledMs;
      });
      expect([...slow, ...late]).toEqual([]);
    });

    it('grants nothing twice, and never lowers a token', () => {
      const { calls, givenBack: revertedGrants } = report;
      const granted = calls.filter(({ verb, outcome }) => verb === 'acquire' && outcome === 'ok');
      expect(granted.length).toBeGreaterThan(5);
      expect(checkHistory(calls, { revertedGrants })).toEqual([]);
    });

    it('changes nothing if it says so, and applies nothing twice', () => {
      const { taken, granted, counted } = report;
      for (const { key, first, again } of taken) {
        const tokens = granted.get(key.name) ?? [];
        if (first.outcome === 'granted') expect(tokens).toEqual([first.token]);
        if (first.outcome === 'BACKEND_DOWN') expect(tokens).toEqual([]);
        expect(tokens.length).toBeLessThanOrEqual(1);
        expect(again).toMatchObject({ outcome: 'granted', token: tokens[0] ?? again.token });
      }
      for (const { value, expected, again } of counted) {
        expect(again.filter(({ outcome }) => outcome !== 'applied')).toEqual([]);
        expect(value).toBe(expected);
      }
    });

    it('takes nothing from a holder or its waiters', () => {
      const { keeper, waiter } = report;
      expect(keeper.renewal.outcome).toBe('renewed');
      expect(keeper.release.outcome).toBe('released');
      expect(waiter.outcome).toBe('granted');
      expect(waiter.token).toBeGreaterThan(keeper.token);
    });

    it('ends without help: every process serves within 5 s, even one started meanwhile', () => {
      const { recoveredInMs, isReachable, stalledMs } = report;
      expect(Math.max(...recoveredInMs)).toBeLessThan(WITHIN_MS + stalledMs);
      expect(new Set(isReachable)).toEqual(new Set([true]));
    });

    if (kind.isPartOfMore) {
      it('delays no callers of other shards', () => {
        const { beside, beganAt, endedAt, stalledMs } = report;
        expect(new Set(beside.map(({ outcome }) => outcome))).toEqual(
          new Set(['granted', 'renewed', 'released']),
        );
        const then = beside.filter(({ startedAt }) => startedAt > beganAt && startedAt < endedAt);
        expect(then.length).toBeGreaterThan(20);
        const tookMs = then.map((each) => each.tookMs).sort((a, b) => a - b);
        expect(tookMs[Math.floor(tookMs.length / 2)]).toBeLessThan(NOTICED_MS);
        expect(tookMs.at(-1)).toBeLessThan(WITHIN_MS + stalledMs);
      });
    }

    it('leaves the process intact', () => {
      expect(unhandled).toEqual([]);
    });
  });
}

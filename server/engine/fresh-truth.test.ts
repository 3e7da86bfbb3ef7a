import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestIdentity } from '../core/request-fingerprint';
import { MINUTE_MS } from '../core/time-units';
import { created, freshKey, readOne } from '../storage/conformance/testing/changes';
import { can, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { requestIdentity } from './request-identity';
import {
  acquire,
  acquireCommand,
  EngineRig,
  eventKinds,
  type Member,
  release,
  releaseCommand,
  renew,
  takeLock,
  WAIT,
} from './testing/engine-rig';
import { reasonOf, untilQueued } from './testing/observed-calls';

/** Unless another is asked for. */
const LEASE_MS = 10_000;

describe.each(storeNames)('two engines over %s', (name) => {
  let rig: EngineRig;
  let a: Member;
  let b: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    a = await rig.join();
    b = await rig.join();
  });
  afterAll(() => rig.close());

  const inspect = (key: RecordKey, { engine } = a) => engine.run(key, { verb: 'inspect' });
  const now = async () => (await readOne(rig.under.store, freshKey())).now;

  describe('rule 3: no answer relies on a cached record', () => {
    it('a refusal is based on a fresh read: released elsewhere, granted here', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      expect(await acquire(a, key, 'w2')).toMatchObject({ outcome: 'held' });
      await release(b, key, 'w1', token);
      expect(await acquire(a, key, 'w2')).toMatchObject({ outcome: 'granted' });
    });

    it('a grant is compared with the present record: held elsewhere, refused here', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      await release(a, key, 'w1', token);
      const theirs = await takeLock(b, key, 'w2');
      expect(await acquire(a, key, 'w3')).toMatchObject({
        outcome: 'held',
        holders: [{ owner: 'w2', token: theirs.token }],
      });
    });

    it('a hold that ended elsewhere is lost here at once', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      await release(b, key, 'w1', token);
      expect(await a.engine.run(key, { verb: 'check', token })).toEqual({ valid: false });
      expect(await inspect(key)).toMatchObject({ state: 'free', holders: [] });
      expect(await renew(a, key, 'w1', token)).toMatchObject({
        outcome: 'lost',
        cause: 'released',
      });
    });

    it('a hold that was granted elsewhere is seen here at once', async () => {
      const key = freshKey();
      await release(a, key, 'w1', (await takeLock(a, key, 'w1')).token);
      const { token } = await takeLock(b, key, 'w2');
      expect(await a.engine.run(key, { verb: 'check', token })).toEqual({ valid: true });
      expect(await inspect(key)).toMatchObject({ state: 'held', holders: [{ token }] });
    });

    it('a deadline that has not passed yet is verified, not assumed', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      rig.letPass(LEASE_MS);
      expect(await renew(a, key, 'w1', token)).toMatchObject({ outcome: 'lost', cause: 'expired' });
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'expired']);
    });

    it('nor does a refusal beside a change, if the clock was set forward', async () => {
      const key = freshKey();
      await takeLock(a, key, 'w1');
      const { request, ...command } = acquireCommand(key, 'w2', { waitMs: LEASE_MS / 2 });
      const caller = new AbortController();
      const wait = { ...WAIT, signal: caller.signal };
      const waiting = a.engine.acquire(key, { ...command, request }, wait).catch(() => null);
      await untilQueued(a, key, 1);
      for (const { faults } of [a, b]) faults.clockSetMs += LEASE_MS;
      const leaving = a.engine.run(key, { verb: 'detach', request });
      expect(await acquire(a, key, 'w3')).toMatchObject({ outcome: 'granted' });
      await leaving;
      for (const { faults } of [a, b]) faults.clockSetMs -= LEASE_MS;
      caller.abort();
      await waiting;
    });

    it('nor does an error beside a change, if the clock was set forward', async () => {
      const key = freshKey();
      await takeLock(a, key, 'w1', { mode: 'permit', permits: 1, capacity: 1 });
      const { request, ...command } = acquireCommand(key, 'w2', { waitMs: LEASE_MS / 2 });
      const caller = new AbortController();
      const wait = { ...WAIT, signal: caller.signal };
      const waiting = a.engine.acquire(key, { ...command, request }, wait).catch(() => null);
      await untilQueued(a, key, 1);
      for (const { faults } of [a, b]) faults.clockSetMs += LEASE_MS;
      const leaving = a.engine.run(key, { verb: 'detach', request });
      const other = { mode: 'permit', permits: 1, capacity: 2 } as const;
      expect(await acquire(a, key, 'w3', other)).toMatchObject({ outcome: 'granted' });
      await leaving;
      for (const { faults } of [a, b]) faults.clockSetMs -= LEASE_MS;
      caller.abort();
      await waiting;
    });
  });

  describe('a stale holder', () => {
    /** `w1` has let its lease lapse and `w2` holds the lock now. */
    const overtaken = async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      rig.letPass(LEASE_MS);
      return { key, token, next: await takeLock(b, key, 'w2') };
    };

    it("cannot release, renew or validate its successor's hold", async () => {
      const { key, token, next } = await overtaken();
      const before = await inspect(key);
      for (const where of [a, b]) {
        const lost = { outcome: 'lost', cause: 'expired' };
        expect(await renew(where, key, 'w1', token)).toMatchObject(lost);
        expect(await release(where, key, 'w1', token)).toMatchObject(lost);
        expect(await where.engine.run(key, { verb: 'check', token })).toEqual({ valid: false });
      }
      const after = await inspect(key);
      expect(after.rev).toBe(before.rev);
      expect(after.holders).toMatchObject([
        { token: next.token, expiresAt: before.holders[0]?.expiresAt },
      ]);
    });

    it('cannot use its successor’s token under its own name', async () => {
      const { key, next } = await overtaken();
      expect(await renew(a, key, 'w1', next.token)).toMatchObject({ outcome: 'lost' });
      expect(await release(a, key, 'w1', next.token)).toMatchObject({ outcome: 'lost' });
      expect(await inspect(key)).toMatchObject({ holders: [{ token: next.token }] });
    });

    it('is not affected by an operator’s action, and neither is its successor', async () => {
      const { key, token, next } = await overtaken();
      const act = { token, by: 'ada', reason: 'it hangs' };
      const request = requestIdentity({
        service: 'console',
        verb: 'act',
        ...key,
        requestId: 'i',
        input: {},
      });
      const before = await inspect(key);
      const extended = await a.engine.run(key, {
        verb: 'extend',
        extendMs: 60_000,
        ...act,
        request,
      });
      expect(extended).toMatchObject({ outcome: 'changed', holders: [{ token: next.token }] });
      const forced = await a.engine.run(key, { verb: 'forceRelease', ...act, request });
      expect(forced).toMatchObject({ outcome: 'changed', holders: [{ token: next.token }] });
      expect((await inspect(key)).rev).toBe(before.rev);
    });
  });

  describe('rule 5: one request id', () => {
    it('is answered the same grant, by any process', async () => {
      const key = freshKey();
      const first = await takeLock(a, key, 'w1', { requestId: 'r' });
      for (const where of [a, b, a]) {
        const again = await takeLock(where, key, 'w1', { requestId: 'r' });
        expect(again).toMatchObject({
          token: first.token,
          rev: first.rev,
          holdCount: 1,
          expiresAt: first.expiresAt,
        });
      }
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted']);
    });

    it('grants once when two calls arrive at once, at one process or at two', async () => {
      for (const [one, two] of [
        [a, a],
        [a, b],
      ] as const) {
        const key = freshKey();
        const calls = [one, two, one, two].map((where) =>
          takeLock(where, key, 'w1', { requestId: 'r' }),
        );
        const tokens = new Set((await Promise.all(calls)).map(({ token }) => token));
        expect(tokens.size).toBe(1);
        expect(await eventKinds(rig.under.store, key)).toEqual(['granted']);
      }
    });

    it('is answered its grant even if another process wrote it during the read', async () => {
      const key = freshKey();
      a.faults.tear = () => takeLock(b, key, 'w1', { requestId: 'r' });
      const { token } = await takeLock(a, key, 'w1', { requestId: 'r' });
      expect(await inspect(key)).toMatchObject({ holders: [{ token, holdCount: 1 }] });
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted']);
    });

    describe('an acquire and its cancel that arrive together', () => {
      const cancel = (key: RecordKey) => {
        const { service, owner, request } = acquireCommand(key, 'w1', { requestId: 'r' });
        return a.engine.run(key, { verb: 'cancel', service, owner, request });
      };

      it('leave the lock free if another process granted it during the read', async () => {
        const key = freshKey();
        a.faults.tear = () => takeLock(b, key, 'w1', { requestId: 'r' });
        const asked = takeLock(a, key, 'w1', { requestId: 'r' });
        expect(await cancel(key)).toEqual({ outcome: 'released' });
        await asked;
        expect(await inspect(key)).toMatchObject({ holders: [] });
      });

      /** Decides both from a cached record, which the release of `token` changes. */
      const staysFree = async (key: RecordKey, token: number) => {
        const other = { mode: 'permit', permits: 1, capacity: 3, requestId: 'r' } as const;
        const both = [acquire(a, key, 'w1', other), cancel(key)];
        expect(await release(a, key, 'w2', token)).toEqual({ outcome: 'released' });
        await Promise.allSettled(both);
        expect(await inspect(key)).toMatchObject({ holders: [] });
      };
      const held = { mode: 'permit', permits: 1, capacity: 2 } as const;

      it('leave the lock free if what refuses the acquire may have changed', async () => {
        const key = freshKey();
        const { token } = await takeLock(a, key, 'w2', held);
        await staysFree(key, token);
      });

      it('leave the lock free if the cancel changes only an expired hold of another', async () => {
        const key = freshKey();
        const { token } = await takeLock(a, key, 'w2', held);
        await takeLock(a, key, 'w3', { ...held, leaseMs: LEASE_MS / 2 });
        rig.letPass(LEASE_MS / 2);
        await inspect(freshKey());
        await staysFree(key, token);
      });
    });

    it('releases once, whatever happens in between', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      await takeLock(a, key, 'w1', { reentrant: true });
      await takeLock(a, key, 'w1', { reentrant: true });
      const out = () => a.engine.run(key, releaseCommand(key, 'w1', token, 'out'));
      expect(await out()).toEqual({ outcome: 'decremented', holdCount: 2 });
      await release(b, key, 'w1', token);
      expect(await out()).toEqual({ outcome: 'decremented', holdCount: 2 });
      expect(await inspect(key)).toMatchObject({ holders: [{ holdCount: 1 }] });
    });

    it('with another input is INVALID, and changes nothing', async () => {
      const key = freshKey();
      await takeLock(a, key, 'w1', { requestId: 'r' });
      const { rev } = await inspect(key);
      const asked = acquireCommand(key, 'w1', { requestId: 'r', leaseMs: 20_000 });
      expect(await reasonOf(b.engine.acquire(key, asked, WAIT))).toBe('INVALID');
      expect((await inspect(key)).rev).toBe(rev);
    });

    it('is stored only if it changed something', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      const asked = acquireCommand(key, 'w2', { requestId: 'r' });
      expect(await a.engine.acquire(key, asked, WAIT)).toMatchObject({ outcome: 'held' });
      expect(await a.engine.rememberedAnswer(asked.request)).toBe(null);
      const lost = releaseCommand(key, 'w1', token - 1, 'out');
      expect(await a.engine.run(key, lost)).toMatchObject({ outcome: 'lost' });
      expect(await a.engine.rememberedAnswer(lost.request as RequestIdentity)).toBe(null);
      await release(a, key, 'w1', token);
      expect(await a.engine.acquire(key, asked, WAIT)).toMatchObject({ outcome: 'granted' });
      expect(await b.engine.rememberedAnswer(asked.request)).not.toBe(null);
    });

    it("is stored for at least 15 minutes after its hold, by the store's clock", async () => {
      const key = freshKey();
      const asked = acquireCommand(key, 'w1', { requestId: 'r' });
      const kept = async () =>
        (await rig.under.store.read([], [asked.request.key])).storedAnswers[0]?.expiresAt ?? 0;
      const answer = await a.engine.acquire(key, asked, WAIT);
      if (answer.outcome !== 'granted') throw new Error('not granted');
      expect(await kept()).toBeGreaterThanOrEqual(answer.expiresAt + 15 * MINUTE_MS);
      const renewed = await renew(a, key, 'w1', answer.token, 3 * 60 * MINUTE_MS);
      if (renewed.outcome !== 'renewed') throw new Error('not renewed');
      expect(await kept()).toBeGreaterThanOrEqual(renewed.expiresAt + 15 * MINUTE_MS);
      const out = releaseCommand(key, 'w1', answer.token, 'out');
      await a.engine.run(key, out);
      const { storedAnswers } = await rig.under.store.read([], [out.request?.key ?? '']);
      expect(storedAnswers[0]?.expiresAt).toBeGreaterThanOrEqual(
        (await now()) + 15 * MINUTE_MS - 1_000,
      );
      expect(await kept()).toBeGreaterThanOrEqual((await now()) + 15 * MINUTE_MS);
    });

    it('of one service is not that of another', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1', { requestId: 'r' });
      await release(a, key, 'w1', token);
      const other = await takeLock(a, key, 'w1', { requestId: 'r', service: 'billing' });
      expect(other.token).toBeGreaterThan(token);
    });

    it('is answered separately from others in the same commit', async () => {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      const calls = [
        a.engine.run(key, releaseCommand(key, 'w1', token, 'out')),
        acquire(a, key, 'w2', { requestId: 'x' }),
        acquire(a, key, 'w2', { requestId: 'x' }),
        acquire(a, key, 'w3', { requestId: 'y' }),
      ] as const;
      const [out, first, second, third] = await Promise.all(calls);
      expect(out).toEqual({ outcome: 'released' });
      expect(first).toMatchObject({ outcome: 'granted' });
      expect(second).toMatchObject({
        outcome: 'granted',
        token: (first as { token: number }).token,
      });
      expect(third).toMatchObject({ outcome: 'held' });
    });
  });

  describe('a record that cannot be understood', () => {
    it('is UNSUPPORTED to its callers, and stops no other call', async () => {
      const [broken, sound] = [freshKey(), freshKey()];
      await created(rig.under.store, broken, { head: '{"not":"a record"', queue: '' });
      const answers = await Promise.all([
        reasonOf(acquire(a, broken, 'w1')),
        reasonOf(acquire(a, sound, 'w1').then(({ outcome }) => outcome)),
      ]);
      expect(answers).toEqual(['UNSUPPORTED', 'answered "granted"']);
      expect(await reasonOf(inspect(broken))).toBe('UNSUPPORTED');
    });
  });

  if (!can(name, 'ownClock')) {
    describe('over hours', () => {
      it('a request id is remembered for 15 minutes after its hold, then reusable', async () => {
        const key = freshKey();
        const { token } = await takeLock(a, key, 'w1', { requestId: 'r', leaseMs: 10_000 });
        rig.passMs(10_000 + 15 * MINUTE_MS - 1_000);
        expect(await acquire(a, key, 'w1', { requestId: 'r', leaseMs: 10_000 })).toEqual({
          outcome: 'ended',
          token,
          cause: 'expired',
        });
        rig.passMs(46 * MINUTE_MS);
        const again = await takeLock(b, key, 'w1', { requestId: 'r', leaseMs: 10_000 });
        expect(again.token).toBeGreaterThan(token);
      });

      it('a hold that is renewed all day keeps its request id', async () => {
        const key = freshKey();
        const { token } = await takeLock(a, key, 'w1', { requestId: 'r', leaseMs: MINUTE_MS });
        for (let hour = 0; hour < 24; hour += 1) {
          expect(await renew(a, key, 'w1', token, 70 * MINUTE_MS)).toMatchObject({
            outcome: 'renewed',
          });
          rig.passMs(60 * MINUTE_MS);
        }
        const again = await takeLock(b, key, 'w1', { requestId: 'r', leaseMs: MINUTE_MS });
        expect(again.token).toBe(token);
      });

      it('a clock that is set back revives no hold', async () => {
        const key = freshKey();
        const { token } = await takeLock(a, key, 'w1', { leaseMs: 1_000 });
        rig.passMs(2_000);
        expect(await inspect(key)).toMatchObject({ state: 'expired' });
        rig.under.passMs(-60 * MINUTE_MS);
        expect(await renew(a, key, 'w1', token)).toMatchObject({ outcome: 'lost' });
        expect(await b.engine.run(key, { verb: 'check', token })).toEqual({ valid: false });
        rig.under.passMs(60 * MINUTE_MS);
      });
    });
  }
});

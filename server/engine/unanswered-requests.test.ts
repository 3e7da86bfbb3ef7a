import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { can, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { requestIdentity } from './request-identity';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  release,
  releaseCommand,
  takeLock,
} from './testing/engine-rig';
import { firstFates, PASS, touching } from './testing/faulty-store';

/**
 * A process decides a call with a request id from the record that it knows, as if the request had
 * not been answered. Only what it then writes may prove that.
 */
describe.each(storeNames)(
  'calls with a request id, decided from a cached record over %s',
  (name) => {
    let rig: EngineRig;
    let here: Member;
    let there: Member;
    beforeAll(async () => {
      rig = await EngineRig.open(name);
      here = await rig.join();
      there = await rig.join();
    });
    afterAll(() => rig.close());

    const party = { service: 'orders' };
    const newCounter = async () => {
      const counter: RecordKey = { ...freshKey(), kind: 'counter' };
      const bounds = { floor: null, ceiling: null };
      const creation = { verb: 'create', initial: 0, ...bounds, party, request: null } as const;
      await here.engine.count(counter, creation);
      return counter;
    };
    const add = ({ engine }: Member, counter: RecordKey, requestId: string, delta = 1) => {
      const scope = { service: 'orders', verb: 'counter.add', ...counter } as const;
      const request = requestIdentity({ ...scope, requestId, input: { delta } });
      return engine.count(counter, { verb: 'add', delta, party, request });
    };
    const knows = async (member: Member, key: RecordKey) => {
      await member.engine.reread([key]);
    };

    it('applies a step once if another process has applied it before', async () => {
      const counter = await newCounter();
      expect(await add(there, counter, 'r')).toMatchObject({ value: 1 });
      await knows(here, counter);
      expect(await add(here, counter, 'r')).toMatchObject({ outcome: 'applied', value: 1 });
      expect(await add(here, counter, 'next')).toMatchObject({ outcome: 'applied', value: 2 });
    });

    it('refuses the same request with another input', async () => {
      const counter = await newCounter();
      await add(there, counter, 'r');
      await knows(here, counter);
      await expect(add(here, counter, 'r', 2)).rejects.toMatchObject({ reason: 'INVALID' });
      expect(await here.engine.count(counter, { verb: 'get' })).toMatchObject({ value: 1 });
    });

    it('applies the other steps of a packet in which one was answered before', async () => {
      const counters = await Promise.all([newCounter(), newCounter(), newCounter()]);
      const [first, second, third] = counters as [RecordKey, RecordKey, RecordKey];
      await add(there, second, 'r');
      await here.engine.reread(counters);
      const answers = await Promise.all([
        add(here, first, 'r'),
        add(here, second, 'r'),
        add(here, second, 'other'),
        add(here, third, 'r'),
      ]);
      expect(answers.map((answer) => 'value' in answer && answer.value)).toEqual([1, 1, 2, 1]);
    });

    it('enters a lock once if another process has granted it before', async () => {
      const key = freshKey();
      const ask = { reentrant: true, leaseMs: 60_000, requestId: 'r' };
      const { token } = await takeLock(there, key, 'w1', ask);
      await knows(here, key);
      expect(await acquire(here, key, 'w1', ask)).toMatchObject({ token, holdCount: 1 });
      expect(await release(here, key, 'w1', token)).toMatchObject({ outcome: 'released' });
    });

    it('applies a step once if the reply to the first attempt was lost', async () => {
      const counter = await newCounter();
      here.faults.onSwap = () => {
        here.faults.onSwap = () => PASS;
        return { kind: 'loseReply' };
      };
      expect(await add(here, counter, 'r')).toMatchObject({ outcome: 'applied', value: 1 });
      expect(await add(here, counter, 'r')).toMatchObject({ outcome: 'applied', value: 1 });
    });

    it('repeats the answer of another process at once if an attempt got no reply', async () => {
      const [counter, other] = (await Promise.all([newCounter(), newCounter()])) as [
        RecordKey,
        RecordKey,
      ];
      await add(there, counter, 'r');
      await here.engine.reread([counter, other]);
      here.faults.onSwap = firstFates(touching(counter), { kind: 'loseRequest' });
      const answers = await Promise.all([
        add(here, counter, 'r'),
        add(here, counter, 'next'),
        add(here, other, 'r'),
      ]);
      expect(answers.map((answer) => 'value' in answer && answer.value)).toEqual([1, 2, 1]);
    });

    it('neither acquires nor releases again in one packet what another process did', async () => {
      const key = freshKey();
      const take = { leaseMs: 60_000, requestId: 'take' };
      const { token } = await takeLock(there, key, 'w1', take);
      const giveBack = releaseCommand(key, 'w1', token, 'give back');
      await there.engine.run(key, giveBack);
      await knows(here, key);
      const next = { leaseMs: 60_000, requestId: 'next' };
      const answers = await Promise.all([
        acquire(here, key, 'w1', take),
        here.engine.run(key, giveBack),
        acquire(here, key, 'w2', next),
        acquire(here, key, 'w2', next),
      ]);
      expect(answers).toMatchObject([
        { outcome: 'ended', token },
        { outcome: 'released' },
        { outcome: 'granted', holdCount: 1 },
        { outcome: 'granted', holdCount: 1 },
      ]);
      const kinds = await eventKinds(rig.under.store, key);
      expect(kinds).toEqual(['granted', 'released', 'granted']);
    });

    it('applies the step again once the stored answer has expired', async () => {
      const counter = await newCounter();
      await add(there, counter, 'r');
      rig.letPass(16 * 60_000);
      await knows(here, counter);
      expect(await add(here, counter, 'r')).toMatchObject({ outcome: 'applied', value: 2 });
      expect(await add(there, counter, 'r')).toMatchObject({ outcome: 'applied', value: 2 });
    });

    it('lets a waiter ask again, and disconnect again, without a refused write', async () => {
      const key = freshKey();
      await takeLock(here, key, 'w1');
      const ask = { waitMs: 20_000, requestId: 'r', wait: { holdRequestMs: 100 } };
      expect(await acquire(here, key, 'w2', ask)).toMatchObject({ outcome: 'queued' });
      let swaps = 0;
      here.faults.onSwap = (changes) => {
        if (touching(key)(changes)) swaps += 1;
        return PASS;
      };
      expect(await acquire(here, key, 'w2', ask)).toMatchObject({ outcome: 'queued' });
      here.faults.onSwap = () => PASS;
      expect(swaps).toBe(2);
    });

    const reads = can(name, 'testsAnswers') ? 'without a read' : 'after a read';
    it(`acquires and releases a cached lock ${reads}`, async () => {
      const key = freshKey();
      await release(here, key, 'w1', (await takeLock(here, key, 'w1')).token);
      let readings = 0;
      here.faults.onRead = (keys) => {
        if (keys.some((one) => one.name === key.name)) readings += 1;
        return PASS;
      };
      const { token } = await takeLock(here, key, 'w2', { requestId: 'take' });
      await here.engine.run(key, releaseCommand(key, 'w2', token, 'give back'));
      here.faults.onRead = () => PASS;
      expect(readings).toBe(can(name, 'testsAnswers') ? 0 : 2);
    });
  },
);

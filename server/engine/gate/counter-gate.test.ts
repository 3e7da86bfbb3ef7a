import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { driftOf } from '../../core/counter/counter-gate';
import {
  GATE_CLAIM_MS,
  GATE_FRESH_MS,
  GATE_REFRESH_MS,
  GATE_REPAIRED_WITHIN_MS,
  GATE_STEP_MAX_MS,
} from '../../core/timing';
import { freshKey } from '../../storage/conformance/testing/changes';
import type { RecordKey } from '../../storage/record-store';
import { GATE_LIMITS } from '../../storage/redis-gate/redis-gate';
import { requestIdentity } from '../request-identity';
import { pause } from '../testing/engine-rig';
import { createAt, type GatedMember, GateRig, step, untilRefusedByGate } from '../testing/gate-rig';
import { ANNOUNCED_FOR_MS } from './gate-entry';

/** What is left of the time for a repair when the next read of MySQL is due. */
const REPAIRED_WITHIN_MS = GATE_REPAIRED_WITHIN_MS - GATE_REFRESH_MS;

/** Of a process that gives up its gate soon. */
const IMPATIENT_MS = 150;

let rig: GateRig;
let a: GatedMember;
let b: GatedMember;
let key: RecordKey;
beforeAll(async () => {
  rig = await GateRig.open(undefined, 50);
  [a, b] = [await rig.join(), await rig.join()];
  await until(async () => (await a.gate.look(freshKey())) !== null, 10_000);
  await rig.later(GATE_STEP_MAX_MS);
});
afterAll(() => rig?.close());
beforeEach(() => {
  key = freshKey();
});
afterEach(() => rig.proxy.delay(0));

const durable = () => a.plain.engine.count(key, { verb: 'get' });
const MySQL = { outcome: 'outOfBounds', value: 0, floor: 0, ceiling: null };
const GATE = { ...MySQL, estimate: true };

async function soldOut(): Promise<void> {
  await createAt(a, key, 2);
  await step(a, key, -2);
  await untilRefusedByGate(a, key, -1);
}

async function driftAt(member: GatedMember): Promise<number | null> {
  const before = await member.gate.look(key);
  const truth = await durable();
  const after = await member.gate.look(key);
  return driftOf(before?.state ?? null, truth, after?.state ?? null);
}

async function until(isSo: () => Promise<boolean>, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    expect(performance.now() - startedAt).toBeLessThan(withinMs);
    await pause(30);
  }
  return performance.now() - startedAt;
}

describe('while Redis responds', () => {
  it('steps on a new counter are refused by the gate as soon as those on an old one', async () => {
    const claimMs = 30_000;
    const own = await GateRig.open({ ...GATE_LIMITS, claimMs }, 50);
    try {
      const member = await own.join();
      await until(async () => (await member.gate.look(freshKey())) !== null, 10_000);
      await own.later(GATE_STEP_MAX_MS);
      await createAt(member, key, 0);
      await untilRefusedByGate(member, key, -1, claimMs / 2);
    } finally {
      await own.close();
    }
  });

  it('steps on a sold-out counter are refused as an estimate, without asking MySQL', async () => {
    await soldOut();
    const reads: RecordKey[][] = [];
    a.plain.faults.onRead = (keys) => {
      reads.push(keys);
      return { kind: 'pass' };
    };
    const answers = await Promise.all(Array.from({ length: 300 }, () => step(a, key, -1)));
    expect(answers).toEqual(answers.map(() => GATE));
    a.plain.faults.onRead = () => ({ kind: 'pass' });
    const ofCounter = reads.filter((keys) => keys.some(({ name }) => name === key.name));
    expect(ofCounter.length).toBeLessThanOrEqual(1);
  });

  it('what one process gives back is available to the next step at another', async () => {
    await soldOut();
    await untilRefusedByGate(b, key, -1);
    for (let i = 0; i < 20; i += 1) {
      expect(await step(a, key, 1)).toMatchObject({ outcome: 'applied', value: 1 });
      expect(await step(b, key, -1)).toMatchObject({ outcome: 'applied', value: 0 });
    }
  });

  it('limits that an operator changes apply at the gate at once', async () => {
    await soldOut();
    const party = { by: 'ana', reason: 'more were found' };
    const request = requestIdentity({
      service: 'the console',
      verb: 'counter.setBounds',
      namespace: key.namespace,
      name: key.name,
      requestId: 'r1',
      input: {},
    });
    const seenBounds = { floor: 0, ceiling: null };
    const bounds = { floor: -2, ceiling: 5, seenBounds, party, request };
    const answer = await a.engine.count(key, { verb: 'setBounds', ...bounds });
    expect(answer).toMatchObject({ outcome: 'rebound', floor: -2 });
    expect(await step(b, key, -2)).toMatchObject({ outcome: 'applied', value: -2 });
    await untilRefusedByGate(b, key, -1);
    expect(await step(a, key, 8)).toMatchObject({ outcome: 'outOfBounds', ceiling: 5 });
    expect((await durable()).value).toBe(-2);
  });

  it('a repeat of an applied step gets its answer, even once the counter is sold out', async () => {
    await createAt(a, key, 1);
    const named = { service: 'orders', verb: 'counter.add', namespace: key.namespace } as const;
    const request = requestIdentity({
      ...named,
      name: key.name,
      requestId: 'once',
      input: { delta: -1 },
    });
    const first = await step(a, key, -1, { request });
    expect(first).toMatchObject({ outcome: 'applied', value: 0 });
    await untilRefusedByGate(a, key, -1);
    expect(await step(a, key, -1, { request })).toEqual(first);
    const another = requestIdentity({
      ...named,
      name: key.name,
      requestId: 'another',
      input: { delta: -1 },
    });
    expect(await step(a, key, -1, { request: another })).toEqual(MySQL);
    expect(await step(a, key, -1, { request: another, isFirst: true })).toEqual(GATE);
  });

  it('the estimate leaves out steps under way', async () => {
    await createAt(a, key, 10);
    await untilRefusedByGate(a, key, -11);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    a.plain.faults.onSwap = () => ({ kind: 'pass', first: () => released });
    a.later(ANNOUNCED_FOR_MS);
    const steps = Promise.all([step(a, key, -3), step(a, key, -4)]);
    await until(async () => (await b.gate.look(key))?.underWay.down === 7, 5_000);
    try {
      await untilRefusedByGate(b, key, -11);
      expect(await step(b, key, -11)).toEqual({ ...GATE, value: 3 });
    } finally {
      a.plain.faults.onSwap = () => ({ kind: 'pass' });
      release();
    }
    await steps;
    await a.gate.look(key);
    expect((await b.gate.look(key))?.state?.value).toBe(3);
    a.later(ANNOUNCED_FOR_MS);
    await a.gate.look(key);
    expect((await b.gate.look(key))?.underWay.down).toBe(0);
  });
});

describe('a wrong value at the gate', () => {
  it('is corrected in time after a change that bypassed it, such as a restore', async () => {
    await soldOut();
    await step({ engine: b.plain.engine }, key, 5);
    const sold = async () => (await step(a, key, -1)).outcome === 'applied';
    await rig.later(GATE_REFRESH_MS);
    await until(sold, REPAIRED_WITHIN_MS);
    expect(await durable()).toMatchObject({ value: 4 });
  });

  it.each<[string, { rev?: string; value?: string; floor?: string }]>([
    ['too little', { value: '0' }],
    ['too much', { value: '999' }],
    ['another limit', { floor: '5' }],
    ['a rev from nowhere', { rev: '9007199254740000', value: '0' }],
    ['noise', { value: 'noise' }],
  ])('is shown as drift and repaired in time: %s', async (_, fields) => {
    await createAt(a, key, 5);
    await untilRefusedByGate(a, key, -6);
    await rig.spoil(key, fields);
    if (fields.value && fields.value !== 'noise') {
      expect(await driftAt(b)).toBe(Number(fields.value) - 5);
    }
    const isWell = async () => {
      const { rev } = await durable();
      await step(a, key, -1_000_000);
      const { state } = (await b.gate.look(key)) ?? {};
      return state?.value === 5 && state.floor === 0 && state.rev === rev;
    };
    await rig.later(GATE_REFRESH_MS);
    await until(isWell, REPAIRED_WITHIN_MS);
    expect(await step(a, key, -5)).toMatchObject({ outcome: 'applied', value: 0 });
  });

  it('is corrected at once by a reconciliation, which reports the old value', async () => {
    await createAt(a, key, 5);
    await untilRefusedByGate(a, key, -6);
    await rig.spoil(key, { rev: '9007199254740000', value: '0' });
    expect(await b.gate.reconcile(key)).toMatchObject({
      fast: { value: 0 },
      durable: { value: 5 },
    });
    expect(await driftAt(a)).toBe(0);
    expect(await step(a, key, -5)).toMatchObject({ outcome: 'applied', value: 0 });
  });

  it('is removed with a deleted counter, and does not apply to a new one of its name', async () => {
    await soldOut();
    const { store } = rig.rig.under;
    const [read] = (await store.read([{ ...key, kind: 'counter' }], [])).records;
    if (!read?.record) throw new Error('There is no counter.');
    await store.deleteRecords([{ ...read.record, key: { ...key, kind: 'counter' } }]);
    const isNotFound = async () =>
      (await step(a, key, -1).catch(({ reason }) => reason)) === 'NOT_FOUND';
    await rig.later(GATE_REFRESH_MS);
    await until(isNotFound, REPAIRED_WITHIN_MS);
    await createAt(b, key, 3);
    expect(await step(a, key, -3)).toMatchObject({ outcome: 'applied', value: 0 });
  });

  it('is removed at once if the deletion goes through the gate', async () => {
    await soldOut();
    await a.gate.forget([key]);
    expect((await b.gate.look(key))?.state).toBeNull();
    await rig.later(GATE_CLAIM_MS);
    await until(async () => 'estimate' in (await step(a, key, -1)), REPAIRED_WITHIN_MS);
  });
});

describe('without Redis only speed changes', () => {
  it('wiped: MySQL decides for a while, then the gate refuses again', async () => {
    await soldOut();
    await rig.wipe();
    expect(await step(a, key, -1)).toEqual(MySQL);
    expect(await step(a, key, 1)).toMatchObject({ outcome: 'applied' });
    expect(await step(b, key, -1)).toMatchObject({ outcome: 'applied', value: 0 });
    await rig.later(GATE_STEP_MAX_MS - 4_000);
    expect(await step(b, key, -1)).toEqual(MySQL);
    await rig.later(4_000);
    await untilRefusedByGate(b, key, -1, GATE_REPAIRED_WITHIN_MS - GATE_STEP_MAX_MS);
  });

  it.each(['stopped', 'silent', 'refusing', 'slow', 'garbling'] as const)(
    '%s: steps are decided by MySQL, and the gate is used again when it is back',
    async (how) => {
      const hasty = await rig.join(IMPATIENT_MS);
      await soldOut();
      await untilRefusedByGate(hasty, key, -1);
      if (how === 'stopped') rig.redis.signal('SIGSTOP');
      if (how === 'silent') rig.proxy.silence();
      if (how === 'refusing') rig.proxy.refuse();
      if (how === 'slow') rig.proxy.delay(2 * IMPATIENT_MS);
      if (how === 'garbling') rig.proxy.garble(Math.random);
      const { failures } = hasty.gate.client.tally;
      const startedAt = performance.now();
      expect(await step(hasty, key, 3)).toMatchObject({ outcome: 'applied', value: 3 });
      for (let value = 2; value >= 0; value -= 1) {
        expect(await step(hasty, key, -1)).toMatchObject({ outcome: 'applied', value });
      }
      expect(await step(hasty, key, -1)).toEqual(MySQL);
      expect(performance.now() - startedAt).toBeLessThan(IMPATIENT_MS + 5_000);
      expect(hasty.gate.client.tally.failures).toBeGreaterThan(failures);
      if (how === 'stopped') rig.redis.signal('SIGCONT');
      rig.proxy.delay(0);
      rig.proxy.open();
      await untilRefusedByGate(hasty, key, -1, 3_000 + REPAIRED_WITHIN_MS);
      await untilRefusedByGate(b, key, -1, 3_000 + REPAIRED_WITHIN_MS);
      expect(await driftAt(hasty)).toBe(0);
    },
  );

  it('set back to an older copy: its old values are not trusted', async () => {
    await soldOut();
    const older = await rig.fieldsOf(key);
    await step(a, key, 5);
    await rig.later(GATE_FRESH_MS);
    const asOf = String(Number(older.asOf) - GATE_FRESH_MS);
    await rig.spoil(key, { ...older, asOf });
    expect(await step(a, key, -5)).toMatchObject({ outcome: 'applied', value: 0 });
  });

  it('restarted with an older copy: its value is never used as the estimate', async () => {
    await createAt(a, key, 5);
    await untilRefusedByGate(a, key, -6);
    const older = await rig.fieldsOf(key);
    await step(a, key, -5);
    await a.gate.look(key);
    await rig.wipe();
    await rig.spoil(key, older);
    expect((await b.gate.look(key))?.state).toBeNull();
    await rig.later(GATE_STEP_MAX_MS);
    expect((await b.gate.look(key))?.state).toBeNull();
    await untilRefusedByGate(b, key, -6, GATE_REPAIRED_WITHIN_MS - GATE_STEP_MAX_MS);
    expect((await b.gate.look(key))?.state?.value).toBe(0);
  });
});

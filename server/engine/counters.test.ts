import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { addTo, counterEventsByName, createCommand, readCounter } from './testing/counter-calls';
import { EngineRig, type Member, release, takeLock } from './testing/engine-rig';
import { type Fate, firstFates, PASS, touching } from './testing/faulty-store';

describe.each(storeNames)('counters over %s', (name) => {
  let rig: EngineRig;
  let member: Member;
  let other: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
    other = await rig.join();
  });
  afterAll(() => rig.close());

  async function counter(initial = 0, floor: number | null = null, ceiling: number | null = null) {
    const key = freshKey();
    await member.engine.count(key, createCommand(initial, { floor, ceiling }));
    return key;
  }
  const suffer = (key: RecordKey, ...fates: Fate[]) => {
    member.faults.onSwap = firstFates(touching(key), ...fates);
  };
  const valueAt = async (key: RecordKey) => (await readCounter(other, key)).value;

  it('a counter never created is NOT_FOUND, and creating one twice changes nothing', async () => {
    const key = freshKey();
    await expect(addTo(member, key, 1)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(readCounter(member, key)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect(await member.engine.count(key, createCommand(3))).toEqual({ outcome: 'created' });
    expect(await other.engine.count(key, createCommand(9))).toMatchObject({
      outcome: 'exists',
      value: 3,
    });
  });

  it('of many callers that create one counter at once, one does', async () => {
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? member : other).engine.count(key, createCommand(i)),
      ),
    );
    expect(answers.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
  });

  it('a counter and a lock of the same name are independent', async () => {
    const key = await counter(1);
    const { token } = await takeLock(member, key, 'w1');
    expect(await addTo(other, key, 4)).toMatchObject({ outcome: 'applied', value: 5 });
    expect(await release(member, key, 'w1', token)).toEqual({ outcome: 'released' });
    expect(await valueAt(key)).toBe(5);
  });

  it('a thousand concurrent callers of one counter cost one write', async () => {
    const key = await counter();
    let writes = 0;
    member.faults.onSwap = (changes) => {
      writes += touching(key)(changes) ? 1 : 0;
      return PASS;
    };
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => addTo(member, key, 1)));
    expect(writes).toBe(1);
    const values = answers.map((answer) => (answer.outcome === 'applied' ? answer.value : null));
    expect(values).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
    expect(await valueAt(key)).toBe(1_000);
  });

  it('processes that add at once lose no step, and never pass a bound', async () => {
    const key = await counter(100, 0);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => addTo(i % 2 ? member : other, key, -1)),
    );
    expect(answers.filter(({ outcome }) => outcome === 'applied')).toHaveLength(100);
    for (const answer of answers) expect(answer.value).toBeGreaterThanOrEqual(0);
    expect(await valueAt(key)).toBe(0);
  });

  it('a refusal relies on a fresh read, never on a cached one', async () => {
    const key = await counter(0, 0, 10);
    await addTo(member, key, 10);
    await addTo(other, key, -10);
    expect(await addTo(member, key, 1)).toMatchObject({ outcome: 'applied', value: 1 });
    expect(await readCounter(other, key)).toMatchObject({ value: 1, floor: 0, ceiling: 10 });
  });

  it('one request id is one step, at whichever process it is repeated', async () => {
    const key = await counter();
    const first = await addTo(member, key, 7, 'once');
    await addTo(member, key, 1);
    expect(await addTo(other, key, 7, 'once')).toEqual(first);
    const atOnce = await Promise.all(
      [member, other, member].map((where) => addTo(where, key, 5, 'twice')),
    );
    expect(new Set(atOnce.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await valueAt(key)).toBe(13);
    await expect(addTo(member, key, 8, 'once')).rejects.toMatchObject({ reason: 'INVALID' });
  });

  it.each<[string, Fate[]]>([
    ['whose reply is lost', [{ kind: 'loseReply' }]],
    ['that is lost on its way', [{ kind: 'loseRequest' }]],
    ['that lands late', [{ kind: 'landLate', afterMs: 20 }]],
    ['that lands after it was tried again', [{ kind: 'landLate', afterMs: 200 }]],
    ['whose reply is lost three times', Array(3).fill({ kind: 'loseReply' })],
  ])('a step %s is found out, and is one step', async (_, fates) => {
    const key = await counter();
    suffer(key, ...fates);
    expect(await addTo(member, key, 3)).toMatchObject({ outcome: 'applied', value: 3 });
    await member.faults.allLanded();
    expect(await valueAt(key)).toBe(3);
  });

  it('a step whose outcome cannot be read is UNKNOWN, and its id finds it afterwards', async () => {
    const key = await counter();
    suffer(key, ...Array<Fate>(200).fill({ kind: 'loseReply' }));
    await expect(addTo(member, key, 3, 'lost')).rejects.toMatchObject({ reason: 'UNKNOWN' });
    member.faults.onSwap = () => PASS;
    expect(await addTo(other, key, 3, 'lost')).toMatchObject({ outcome: 'applied', value: 3 });
    expect(await valueAt(key)).toBe(3);
  });

  it('every rev is once in the history, with its delta and value', async () => {
    const key = await counter(5);
    await Promise.all([addTo(member, key, 1), addTo(member, key, 2), addTo(member, key, 3)]);
    const moves = (await counterEventsByName(rig.under.store)).get(key.name) ?? [];
    expect(moves).toMatchObject([
      { kind: 'created', value: 5 },
      { kind: 'added', service: 'orders', delta: 1, value: 6 },
      { kind: 'added', delta: 2, value: 8 },
      { kind: 'added', delta: 3, value: 11 },
    ]);
    expect(moves.map(({ rev }) => rev - (moves[0]?.rev ?? 0))).toEqual([0, 1, 2, 3]);
  });
});

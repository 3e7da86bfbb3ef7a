import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquire, EngineRig, type Member, takeLock } from '../../engine/testing/engine-rig';
import { acquireMultiLock, takeMultiLock } from '../../engine/testing/multi-lock-calls';
import { created, eventOf, freshKey, stored, update } from '../conformance/testing/changes';
import { recordAnswer } from '../conformance/testing/record-answer';
import { openMysqlUnderTest } from '../conformance/testing/stores-under-test';
import type { RecordStore } from '../record-store';

/** A packet that fits has several megabytes, and the server may be busy with other things. */
const PATIENT_MS = 20_000;

describe('a record too large for max_allowed_packet', () => {
  let rig: EngineRig;
  let store: RecordStore;
  let process: Member;
  /** The largest packet that the server accepts. */
  let bytesMax: number;

  beforeAll(async () => {
    const under = await openMysqlUnderTest({ callMaxMs: PATIENT_MS });
    rig = new EngineRig(under);
    process = await rig.join();
    store = under.store;
    const root = await createConnection({ uri: under.database.mysqlUrl ?? '' });
    const [rows] = await root.query<RowDataPacket[]>('SELECT @@max_allowed_packet AS bytes');
    await root.end();
    bytesMax = Number(rows[0]?.bytes);
  });
  afterAll(() => rig.close());

  it('is refused on its own: none of it is applied, and the others of its swap are', async () => {
    const [tooMuch, half] = ['q'.repeat(bytesMax), 'q'.repeat(bytesMax * 0.55)];
    const keys = [freshKey(), freshKey(), freshKey(), freshKey()] as const;
    const seen = await Promise.all(keys.map((key) => created(store, key)));
    const [first, second, third, fourth] = seen as Required<typeof seen>;
    if (!first || !second || !third || !fourth) throw new Error('Four were created.');
    const results = await store.swap([
      update(keys[0], first, { queue: half }),
      update(keys[1], second, { head: tooMuch, events: [eventOf(2)] }),
      update(keys[2], { ...third, rev: 7 }, { head: tooMuch }),
      update(keys[3], fourth, { queue: half }),
    ]);
    expect(results).toMatchObject([
      { applied: true, current: { rev: 2 } },
      { applied: false, isTooLarge: true, current: second },
      { applied: false, current: third },
      { applied: true, current: { rev: 2 } },
    ]);
    expect(results[2]).not.toHaveProperty('isTooLarge');
    expect(await stored(store, keys[1])).toMatchObject({ ...second, head: 'head' });
    expect((await stored(store, keys[3])).queue).toHaveLength(half.length);
  });

  // An owner's name is in the record and in its history.
  it('is answered as TOO_LARGE, at once, as is a multi-lock; other calls are granted', async () => {
    const [large, other, more] = [freshKey(), freshKey(), freshKey()];
    const [refused, granted] = await Promise.all([
      recordAnswer(acquire(process, large, 'o'.repeat(bytesMax * 0.55))),
      recordAnswer(acquire(process, other, 'w1')),
    ]);
    expect(refused.outcome).toBe('TOO_LARGE');
    expect(granted.outcome).toBe('granted');
    const set = await recordAnswer(
      acquireMultiLock(process, [large, more], 'o'.repeat(bytesMax * 0.3)),
    );
    expect(set.outcome).toBe('TOO_LARGE');
    expect((await takeLock(process, large, 'w2')).token).toBeGreaterThan(0);
    expect((await takeMultiLock(process, [more, freshKey()], 'w3')).grants).toHaveLength(2);
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseShardList } from '@/db/shard-list';
import { MysqlStore } from './backends/mysql-store';
import { recordId } from './backends/record-id';
import { LockyardError } from './domain/errors';
import { spreadNames } from './domain/spread-names';
import { anonymousRequest } from './engine/request-identity';
import { addTo, createOf, standing } from './engine/testing/counter-asks';
import { acquire, renew, take } from './engine/testing/engine-rig';
import { acquireSet, cancelSet, takeSet } from './engine/testing/set-asks';
import type { Runtime } from './operations/operation-context';
import { reshardBackend } from './reshard-backend';
import { BACKEND, contextOf, engineIn, NAMESPACE, ShardRig } from './testing/shard-rig';

let rig: ShardRig;
let first: string;
let old: Runtime;
beforeAll(async () => {
  rig = await ShardRig.open(3);
  first = rig.listOf([0, 1]);
  old = await rig.serve(first);
});
afterAll(() => rig?.close());

const parsedList = (list: string) => {
  const parsed = parseShardList(BACKEND, list);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

const keyOf = (name: string) => ({ namespace: NAMESPACE, name });

/** The database where a name lives under a list. */
function homeUrl(list: string, name: string, kind?: 'counter'): string {
  const { shards } = parsedList(list);
  const key = { ...keyOf(name), ...(kind && { kind }) };
  return shards[spreadNames(shards.map((shard) => shard.name))(recordId(key))]?.url ?? '';
}

let last = 0;
/** A key that nobody has used, and of which this is so. */
function freshKey(isSo: (name: string) => boolean = () => true) {
  for (;;) {
    last += 1;
    if (isSo(`job-${last}`)) return keyOf(`job-${last}`);
  }
}

const reshard = (runtime: Runtime, list: string) =>
  reshardBackend(contextOf(runtime), {
    backend: BACKEND,
    shards: parsedList(list).shards.map(({ name }) => name),
  });

async function refusalOf(work: Promise<unknown>): Promise<{ reason: string; message: string }> {
  const error = await work.then(
    (answer) => expect.unreachable(`It was answered ${JSON.stringify(answer)}.`),
    (caught) => caught,
  );
  if (!(error instanceof LockyardError)) throw error;
  return { reason: error.reason, message: error.message };
}

const isServed = (runtime: Runtime) =>
  vi.waitFor(() => expect(engineIn(runtime).health()).toMatchObject({ reachable: true }), {
    timeout: 30_000,
    interval: 50,
  });

const freeze = {
  verb: 'freeze',
  by: 'ana',
  reason: 'a repair',
  request: anonymousRequest(),
} as const;

describe('a backend with shards', () => {
  it('takes sets whose locks lie together, and refuses others before it does anything', async () => {
    const member = { engine: engineIn(old) };
    const at = (place: number) => (name: string) => homeUrl(first, name) === rig.urlOf(place);
    const [a, b, c] = [freshKey(at(0)), freshKey(at(0)), freshKey(at(1))];
    await takeSet(member, [a, b], 'w1', { requestId: 'r1' });
    const spanning = await refusalOf(acquireSet(member, [b, c], 'w2'));
    expect(spanning).toMatchObject({
      reason: 'UNSUPPORTED',
      message: expect.stringMatching(/different shards.*one after another/),
    });
    expect(await refusalOf(cancelSet(member, [b, c], 'w2', 'r2'))).toMatchObject({
      reason: 'UNSUPPORTED',
    });
    expect(await acquire(member, c, 'w3', { leaseMs: 1_000 })).toMatchObject({
      outcome: 'granted',
    });
    expect(await cancelSet(member, [a, b], 'w1', 'r1')).toEqual({ outcome: 'released' });
  });

  it('is one backend to people: its locks, counters and health', async () => {
    const member = { engine: engineIn(old) };
    const at = (place: number) => (name: string) => homeUrl(first, name) === rig.urlOf(place);
    const keys = [freshKey(at(0)), freshKey(at(1))];
    for (const key of keys) await take(member, key, 'w1', { leaseMs: 4_000 });
    const listed = () =>
      old.board.listing(BACKEND, {
        namespace: NAMESPACE,
        prefix: 'job-',
        busy: false,
        limit: 1_000,
      }).locks;
    for (const key of keys) {
      await vi.waitFor(
        () =>
          expect(listed()).toContainEqual(
            expect.objectContaining({ name: key.name, state: 'held' }),
          ),
        { timeout: 10_000 },
      );
      const id = `${BACKEND}/${recordId(key)}`;
      expect(old.board.row(NAMESPACE, key.name)).toMatchObject({ id, backend: BACKEND });
      const detail = await old.board.detail(NAMESPACE, key.name);
      expect(detail).toMatchObject({ row: { id, backend: BACKEND }, backend: { id: BACKEND } });
    }
    expect(engineIn(old).health()).toMatchObject({
      id: BACKEND,
      reachable: true,
      shards: [{ reachable: true }, { reachable: true }],
    });
  });

  it('serves another list only after a reshard, which ends whoever has the old one and loses nothing', async () => {
    const second = rig.listOf([1, 2], [0]);
    const member = { engine: engineIn(old) };
    const isMoved = (name: string) => homeUrl(first, name) !== homeUrl(second, name);
    const isMovedCounter = (name: string) =>
      homeUrl(first, name, 'counter') !== homeUrl(second, name, 'counter');
    const [held, frozen] = [freshKey(isMoved), freshKey(isMoved)];
    const staying = freshKey((name) => !isMoved(name));
    const counter = freshKey(isMovedCounter);
    const hold = await take(member, held, 'w1', { leaseMs: 5_000 });
    const kept = await take(member, staying, 'w1', { requestId: 'stays', leaseMs: 5_000 });
    await member.engine.run(frozen, freeze);
    await member.engine.count(counter, createOf(7, { floor: 0, ceiling: 10 }));
    await addTo(member, counter, 2, 'once');

    // Without naming what leaves, something would be lost.
    const careless = await rig.serve(rig.listOf([1, 2]));
    expect(await refusalOf(reshard(careless, rig.listOf([1, 2])))).toMatchObject({
      reason: 'CONFLICT',
      message: expect.stringMatching(/leaving:.*Nothing was changed/),
    });
    await rig.stop(careless);

    const fresh = await rig.serve(second);
    const other = { engine: engineIn(fresh) };
    const unserved = await refusalOf(acquire(other, held, 'w2'));
    expect(unserved).toMatchObject({
      reason: 'BACKEND_DOWN',
      message: expect.stringMatching(/another list of shards.*lockyard backends reshard orders/),
    });
    expect(engineIn(fresh).health()).toMatchObject({
      reachable: false,
      refusal: expect.anything(),
    });
    expect(await acquire(member, held, 'w2')).toMatchObject({ outcome: 'held' });
    expect(await refusalOf(reshard(fresh, first))).toMatchObject({ reason: 'CONFLICT' });

    expect(await reshard(fresh, second)).toMatch(/served with 2 shards.*The epoch is 2/);
    // At once, whether or not the old process has looked.
    for (const key of [held, staying, freshKey()]) {
      expect(await refusalOf(acquire(member, key, 'w3'))).toMatchObject({ reason: 'BACKEND_DOWN' });
    }
    await rig.stop(old);
    await isServed(fresh);
    expect(await renew(other, staying, 'w1', kept.token)).toMatchObject({ outcome: 'renewed' });
    const again = { requestId: 'stays', leaseMs: 5_000 };
    expect(await acquire(other, staying, 'w1', again)).toMatchObject({ token: kept.token });
    expect(await acquire(other, frozen, 'w2')).toMatchObject({ outcome: 'frozen' });
    expect(await addTo(other, counter, 2, 'once')).toMatchObject({ outcome: 'applied', value: 9 });
    expect(await standing(other, counter)).toMatchObject({ value: 9, floor: 0, ceiling: 10 });
    expect(await addTo(other, counter, 2)).toMatchObject({ outcome: 'outOfBounds', value: 9 });
    const next = await take(other, held, 'w2', { waitMs: 30_000 });
    expect(next.token).toBeGreaterThan(hold.token);
    expect(Math.floor(next.token / 2 ** 41)).toBe(2);
    expect(next.expiresAt - 10_000).toBeGreaterThanOrEqual(hold.expiresAt);

    const left = new MysqlStore(rig.urlOf(0));
    const remains = await left.scan({ namespace: NAMESPACE, after: null }, 10);
    await left.close();
    expect(remains.records).toEqual([]);
    const audit = await fresh.database.db.select().from(fresh.database.tables.audit);
    expect(audit.filter(({ act }) => act === 'backend.reshard')).toMatchObject([
      { subject: BACKEND, outcome: 'done', seen: expect.stringContaining('begin') },
      { subject: BACKEND, outcome: 'done', seen: expect.stringContaining('end') },
    ]);
    await vi.waitFor(
      async () => {
        const { rows } = await fresh.events.list({ ...held, limit: 20 });
        const kinds = rows.map(({ kind }) => kind).slice(-4);
        expect(kinds).toEqual(['granted', 'queued', 'forced', 'granted']);
        expect(rows.find(({ kind }) => kind === 'forced')).toMatchObject({ by: 'reshard' });
      },
      { timeout: 20_000 },
    );
    expect(await refusalOf(reshard(fresh, second))).toMatchObject({
      reason: 'CONFLICT',
      message: expect.stringContaining('served with this list already'),
    });
  }, 90_000);
});

import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseShardList } from '@/db/urls/shard-list';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { reshardBackend } from '../cli/reshard-backend';
import { LockyardError } from '../contract/errors';
import { unwrittenRecord } from '../core/lock/lock-record';
import { rendezvousHash } from '../core/rendezvous-hash';
import { anonymousRequest } from '../engine/request-identity';
import { addTo, createCommand, readCounter } from '../engine/testing/counter-calls';
import { acquire, pause, release, renew, takeLock } from '../engine/testing/engine-rig';
import {
  acquireMultiLock,
  cancelMultiLock,
  takeMultiLock,
} from '../engine/testing/multi-lock-calls';
import { formerStores } from '../monitoring/history/former-stores';
import type { Runtime } from '../operations/operation-context';
import { encodeRecord } from '../storage/codec/record-codec';
import { created } from '../storage/conformance/testing/changes';
import { MysqlStore } from '../storage/mysql/mysql-store';
import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import { ShardMapStamp } from '../storage/sharding/shard-map-stamp';
import { BACKEND, contextOf, engineIn, NAMESPACE, ShardRig } from './testing/shard-rig';

/** The server of the second database, which may be stopped. */
let own: Awaited<ReturnType<typeof startPrivateMariadb>>;
let rig: ShardRig;
/** The lists that follow each other. */
let first: string;
let second: string;
/** The process that is served, before and after the first reshard. */
let old: Runtime;
let now: Runtime;
beforeAll(async () => {
  own = await startPrivateMariadb({ durable: false });
  rig = await ShardRig.open(3, [usual, own.url, usual]);
  first = rig.listOf([0, 1]);
  second = rig.listOf([1, 2], [0]);
  old = await rig.serve(first);
});
afterAll(async () => {
  own?.signal('SIGCONT');
  await rig?.close();
  await own?.stop();
});

const usual = process.env.TEST_MYSQL_URL ?? '';

/** The promised time, plus some for a busy machine. */
const ANSWER_MAX_MS = 5_000 + 5_000;

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
  return shards[rendezvousHash(shards.map((shard) => shard.name))(recordId(key))]?.url ?? '';
}

let last = 0;
/** An unused key for which the condition is true. */
function freshKey(isSo: (name: string) => boolean = () => true) {
  for (;;) {
    last += 1;
    if (isSo(`job-${last}`)) return keyOf(`job-${last}`);
  }
}

/** @param config another one than that of the process */
const reshard = (runtime: Runtime, list: string, config = runtime.config) =>
  reshardBackend(
    { ...contextOf(runtime), runtime: { ...runtime, config } },
    { backend: BACKEND, shards: parsedList(list).shards.map(({ name }) => name) },
  );

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
  it('accepts multi-locks within one shard, and refuses others before any change', async () => {
    const member = { engine: engineIn(old) };
    const at = (place: number) => (name: string) => homeUrl(first, name) === rig.urlOf(place);
    const [a, b, c] = [freshKey(at(0)), freshKey(at(0)), freshKey(at(1))];
    await takeMultiLock(member, [a, b], 'w1', { requestId: 'r1' });
    const spanning = await refusalOf(acquireMultiLock(member, [b, c], 'w2'));
    expect(spanning).toMatchObject({
      reason: 'UNSUPPORTED',
      message: expect.stringMatching(/different shards.*one after another/),
    });
    expect(await refusalOf(cancelMultiLock(member, [b, c], 'w2', 'r2'))).toMatchObject({
      reason: 'UNSUPPORTED',
    });
    expect(await acquire(member, c, 'w3', { leaseMs: 1_000 })).toMatchObject({
      outcome: 'granted',
    });
    expect(await cancelMultiLock(member, [a, b], 'w1', 'r1')).toEqual({ outcome: 'released' });
  });

  it('is shown as one backend: its locks, counters and health', async () => {
    const member = { engine: engineIn(old) };
    const at = (place: number) => (name: string) => homeUrl(first, name) === rig.urlOf(place);
    const keys = [freshKey(at(0)), freshKey(at(1))];
    const holds = await Promise.all(
      keys.map((key) => takeLock(member, key, 'w1', { leaseMs: 120_000 })),
    );
    const listed = async () => {
      const input = { namespace: NAMESPACE, prefix: 'job-', busy: false, limit: 1_000 };
      return (await old.projection.listing(BACKEND, input, 'orders')).locks;
    };
    for (const key of keys) {
      await vi.waitFor(
        async () =>
          expect(await listed()).toContainEqual(
            expect.objectContaining({ name: key.name, state: 'held' }),
          ),
        { timeout: 30_000 },
      );
      const id = `${BACKEND}/${recordId(key)}`;
      const shard = old.projection.storeIdOf(BACKEND, key);
      const row = { id, backend: BACKEND, shard };
      expect(old.projection.row(NAMESPACE, key.name)).toMatchObject(row);
      const detail = await old.projection.detail(NAMESPACE, key.name);
      expect(detail).toMatchObject({ row, backend: { id: BACKEND } });
    }
    expect(engineIn(old).health()).toMatchObject({
      id: BACKEND,
      reachable: true,
      shards: [{ reachable: true }, { reachable: true }],
    });
    for (const key of keys) {
      const isItsOwn = ({ id }: { id: string }) => id === old.projection.storeIdOf(BACKEND, key);
      // Each is estimated as it is read, so that two in a row can differ by a millisecond.
      await vi.waitFor(() => {
        const shard = engineIn(old).health().shards?.find(isItsOwn);
        expect(old.projection.clockOffsetMs(BACKEND, key)).toBe(shard?.clockOffsetMs);
      });
    }
    for (const [i, key] of keys.entries()) {
      const { token } = holds[i] as (typeof holds)[number];
      expect(await release(member, key, 'w1', token)).toEqual({ outcome: 'released' });
    }
  });

  it('delays no callers of other shards when one stops, and recovers automatically', async () => {
    const keysAt = (place: number) =>
      Array.from({ length: 20 }, () =>
        freshKey((name) => homeUrl(first, name) === rig.urlOf(place)),
      );
    const [well, stopped] = [keysAt(0), keysAt(1)];
    const held = freshKey((name) => homeUrl(first, name) === rig.urlOf(1));
    const member = { engine: engineIn(old) };
    const before = await takeLock(member, held, 'w1', { leaseMs: 60_000 });

    own.signal('SIGSTOP');
    // Its threads stop one after another.
    await pause(200);
    const since = performance.now();
    const answers = stopped.map((key) =>
      acquire(member, key, 'w2').then(
        (answer) => ({ error: answer, afterMs: 0 }),
        (error: unknown) => ({ error, afterMs: performance.now() - since }),
      ),
    );
    const spent: number[] = [];
    for (const key of well) {
      const askedAt = performance.now();
      const { token } = await takeLock(member, key, 'w1');
      await release(member, key, 'w1', token);
      spent.push(performance.now() - askedAt);
    }
    // The calls for the other shard were all answered while these were not.
    spent.sort((a, b) => a - b);
    expect(spent[Math.floor(spent.length / 2)]).toBeLessThan(1_000);
    for (const { error, afterMs } of await Promise.all(answers)) {
      expect(error).toBeInstanceOf(LockyardError);
      expect(['BACKEND_DOWN', 'UNKNOWN']).toContain((error as LockyardError).reason);
      expect(afterMs).toBeLessThan(ANSWER_MAX_MS);
    }
    const shards = () => member.engine.health().shards ?? [];
    await vi.waitFor(
      () => {
        const { name } = shards().find(({ reachable }) => !reachable) ?? {};
        expect(rig.urlOf(1)).toContain(name);
        expect(shards().filter(({ reachable }) => reachable)).toHaveLength(1);
      },
      { timeout: 20_000, interval: 50 },
    );

    own.signal('SIGCONT');
    await vi.waitFor(() => expect(member.engine.health().reachable).toBe(true), {
      timeout: 20_000,
      interval: 50,
    });
    expect(await acquire(member, held, 'w2')).toMatchObject({ outcome: 'held' });
    expect(await release(member, held, 'w1', before.token)).toEqual({ outcome: 'released' });
  });

  it('keeps all processes in one epoch if a reshard stops before its first stamp', async () => {
    const stampNew = vi.spyOn(ShardMapStamp.prototype, 'stampNew');
    stampNew.mockRejectedValueOnce(new Error('The machine died.'));
    const { message } = await refusalOf(reshard(old, second, rig.config(second)));
    stampNew.mockRestore();
    expect(message).toMatch(/interrupted.*No data is lost; run it again/);
    const young = await rig.serve(first);
    const epochs = [old, young].map(async (runtime) => {
      const { token } = await takeLock({ engine: engineIn(runtime) }, freshKey(), 'w1');
      return Math.floor(token / 2 ** 41);
    });
    const [ofOld, ofYoung] = await Promise.all(epochs);
    await rig.stop(young);
    expect(ofYoung).toBe(ofOld);
  });

  it('loses nothing when a reshard is interrupted after any step, and repeated', async () => {
    const member = { engine: engineIn(old) };
    const counters = Array.from({ length: 12 }, () => freshKey());
    const locks = Array.from({ length: 12 }, () => freshKey());
    for (const [i, key] of counters.entries()) {
      await member.engine.count(key, createCommand(i));
      await addTo(member, key, 100, 'once');
    }
    const holds = await Promise.all(
      locks.map((key) => takeLock(member, key, 'w1', { leaseMs: 1_000, requestId: 'mine' })),
    );
    const steps = new StepsBroken();
    let tries = 0;
    for (;;) {
      tries += 1;
      steps.breakAfter(tries);
      const said = await reshard(old, second, rig.config(second)).catch((error: Error) => error);
      if (typeof said === 'string') break;
      expect(said).toBeInstanceOf(LockyardError);
      // Interrupted after its very last step, it is complete.
      if (said.message.includes('served with this list already')) break;
      expect(said.message, `try ${tries}`).toMatch(/interrupted.*No data is lost; run it again/);
    }
    steps.end();
    expect(new Set(steps.brokenAfter)).toEqual(new Set(['stamp new', 'change', 'swap', 'forget']));
    await rig.stop(old);
    now = await rig.serve(second);
    const other = { engine: engineIn(now) };
    await isServed(now);
    for (const [i, key] of counters.entries()) {
      expect(await addTo(other, key, 100, 'once')).toMatchObject({ value: 100 + i });
      expect(await readCounter(other, key)).toMatchObject({ value: 100 + i });
    }
    for (const [i, key] of locks.entries()) {
      const first = holds[i] as (typeof holds)[number];
      const asked = { leaseMs: 1_000, requestId: 'mine' };
      // A hold that was not moved still has its lease if the reshard took less than that.
      await vi.waitFor(
        async () =>
          expect(await acquire(other, key, 'w1', asked)).toMatchObject({ outcome: 'ended' }),
        { timeout: 10_000, interval: 50 },
      );
      const next = await takeLock(other, key, 'w2', { waitMs: 60_000 });
      expect(next.token).toBeGreaterThan(first.token);
      expect(next.expiresAt - 10_000).toBeGreaterThanOrEqual(first.expiresAt);
      expect(await release(other, key, 'w2', next.token)).toEqual({ outcome: 'released' });
    }
    const places = await Promise.all([0, 1, 2].map((place) => idsAt(rig.urlOf(place))));
    const all = places.flat();
    expect(new Set(all).size).toBe(all.length);
    expect(places[0]).toEqual([]);
  });

  it('serves a new list only after a reshard; processes with the old one end at once', async () => {
    const third = rig.listOf([0, 2], [1]);
    const member = { engine: engineIn(now) };
    const isMoved = (name: string) => homeUrl(second, name) !== homeUrl(third, name);
    const [held, frozen] = [freshKey(isMoved), freshKey(isMoved)];
    const staying = freshKey((name) => !isMoved(name));
    const hold = await takeLock(member, held, 'w1', { leaseMs: 120_000 });
    const asked = { requestId: 'stays', leaseMs: 120_000 };
    const kept = await takeLock(member, staying, 'w1', asked);
    await member.engine.run(frozen, freeze);

    const careless = rig.listOf([0, 2]);
    expect(await refusalOf(reshard(now, careless, rig.config(careless)))).toMatchObject({
      reason: 'CONFLICT',
      message: expect.stringMatching(/leaving:.*Nothing was changed/),
    });
    const fresh = await rig.serve(third);
    const other = { engine: engineIn(fresh) };
    expect(await refusalOf(acquire(other, held, 'w2'))).toMatchObject({
      reason: 'BACKEND_DOWN',
      message: expect.stringMatching(/another list of shards.*lockyard backends reshard orders/),
    });
    expect(engineIn(fresh).health()).toMatchObject({
      reachable: false,
      refusal: expect.anything(),
    });
    expect(await acquire(member, held, 'w2')).toMatchObject({ outcome: 'held' });
    expect(await refusalOf(reshard(fresh, second))).toMatchObject({ reason: 'CONFLICT' });

    expect(await reshard(fresh, third)).toMatch(/now uses 2 shards.*The epoch is \d+/);
    // Whether or not the old process has polled.
    for (const key of [held, staying, freshKey()]) {
      expect(await refusalOf(acquire(member, key, 'w3'))).toMatchObject({ reason: 'BACKEND_DOWN' });
    }
    await rig.stop(now);
    await isServed(fresh);
    expect(await renew(other, staying, 'w1', kept.token)).toMatchObject({ outcome: 'renewed' });
    expect(await acquire(other, staying, 'w1', asked)).toMatchObject({ token: kept.token });
    expect(await acquire(other, frozen, 'w2')).toMatchObject({ outcome: 'frozen' });
    expect(await renew(other, held, 'w1', hold.token)).toMatchObject({
      outcome: 'lost',
      cause: 'forced',
      by: 'reshard',
    });
    for (const key of [held, freshKey()]) {
      const answer = await acquire(other, key, 'w2');
      expect(answer).toMatchObject({ outcome: 'held', holders: [] });
      expect((answer as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
    }
    now = fresh;
    const { audit } = fresh.database.tables;
    const acts = await fresh.database.db.select().from(audit);
    expect(acts.filter(({ act }) => act === 'backend.reshard').slice(-2)).toMatchObject([
      { subject: BACKEND, outcome: 'done', seen: expect.stringContaining('"step":"begin"') },
      { subject: BACKEND, outcome: 'done', seen: expect.stringContaining('"step":"end"') },
    ]);
    await vi.waitFor(
      async () => {
        const { rows } = await fresh.events.list({ ...held, limit: 20 });
        expect(rows.map(({ kind }) => kind)).toEqual(['forced', 'granted']);
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(await refusalOf(reshard(fresh, third))).toMatchObject({
      reason: 'CONFLICT',
      message: expect.stringContaining('served with this list already'),
    });
    const ids = parsedList(first).shards.map(({ id }) => id);
    const former = await formerStores(fresh.database, ids.slice(0, 1));
    expect(former).toContainEqual({ id: ids[1], backend: BACKEND });
    expect(former.map(({ id }) => id)).not.toContain(ids[0]);
  });

  it('includes a former backend, and waits a day for a database that lost its data', async () => {
    const fourth = rig.listOf([0, 1, 2]);
    const forget = async (place: number, tables: string[]) => {
      const connection = await createConnection({ uri: rig.urlOf(place) });
      await connection.query("DELETE FROM settings WHERE id LIKE 'shard.%'");
      for (const table of tables) await connection.query(`DELETE FROM ${table}`);
      await connection.end();
    };
    await forget(1, []);
    const single = new MysqlStore(rig.urlOf(1));
    const moved = freshKey((name) => homeUrl(fourth, name) !== rig.urlOf(1));
    const record = encodeRecord({ ...unwrittenRecord(Date.now()), lastToken: 7_000 }, null);
    const { head, queue } = record;
    await created(single, moved, { rev: 9, head, queue });
    await single.close();
    // A process that has just ended counts as alive for a moment, so the reshard is refused.
    const taken = () => reshard(now, fourth, rig.config(fourth));
    const answer = await vi.waitFor(taken, { timeout: 60_000, interval: 200 });
    expect(answer).toMatch(/now uses 3 shards/);
    const homes = await Promise.all([0, 1, 2].map((place) => idsAt(rig.urlOf(place))));
    const isHome = (place: number) => homeUrl(fourth, moved.name) === rig.urlOf(place);
    homes.forEach((ids, place) => {
      expect(ids.includes(recordId(moved)), `database ${place}`).toBe(isHome(place));
    });

    await forget(2, ['locks', 'lock_requests']);
    const fresh = await rig.serve(fourth);
    const key = freshKey();
    expect(await refusalOf(acquire({ engine: engineIn(fresh) }, key, 'w1'))).toMatchObject({
      reason: 'BACKEND_DOWN',
      message: expect.stringMatching(/lost its data.*lockyard backends reshard orders/),
    });
    const said = await reshard(fresh, fourth);
    const [until = ''] = /\d{4}-\S+Z/.exec(said) ?? [];
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(23 * 60 * 60_000);
    await isServed(fresh);
    const late = await acquire({ engine: engineIn(fresh) }, key, 'w1');
    expect(late).toMatchObject({ outcome: 'held', holders: [] });
  });
});

/**
 * Interrupts a reshard after one of its steps on the shards: the step is done, but its answer is
 * lost.
 */
class StepsBroken {
  /** The steps after which it was interrupted. */
  readonly brokenAfter: string[] = [];
  private left = Number.POSITIVE_INFINITY;

  constructor() {
    const { swap, deleteRecords } = MysqlStore.prototype;
    const { stampNew, change } = ShardMapStamp.prototype;
    const isOurs = ([first]: { key: RecordKey }[]) => first?.key.namespace === NAMESPACE;
    const broken = this.broken.bind(this);
    vi.spyOn(MysqlStore.prototype, 'swap').mockImplementation(function (this: MysqlStore, changes) {
      const done = swap.call(this, changes);
      return isOurs(changes) ? broken('swap', done) : done;
    });
    vi.spyOn(MysqlStore.prototype, 'deleteRecords').mockImplementation(function (
      this: MysqlStore,
      keys,
    ) {
      const done = deleteRecords.call(this, keys);
      return isOurs(keys) ? broken('forget', done) : done;
    });
    vi.spyOn(ShardMapStamp.prototype, 'stampNew').mockImplementation(function (
      this: ShardMapStamp,
      ...asked
    ) {
      return broken('stamp new', stampNew.call(this, ...asked));
    });
    vi.spyOn(ShardMapStamp.prototype, 'change').mockImplementation(function (
      this: ShardMapStamp,
      ...asked
    ) {
      return broken('change', change.call(this, ...asked));
    });
  }

  breakAfter(steps: number): void {
    this.left = steps;
  }

  end(): void {
    vi.restoreAllMocks();
  }

  private async broken<T>(step: string, work: Promise<T>): Promise<T> {
    const done = await work;
    this.left -= 1;
    if (this.left > 0) return done;
    // Swaps of the running server count too: the reshard may only be at its next step by now.
    this.brokenAfter.push(step);
    throw new Error('The machine died.');
  }
}

async function idsAt(url: string): Promise<string[]> {
  const store = new MysqlStore(url);
  const { records } = await store.scan({ namespace: null, after: null }, 1_000);
  await store.close();
  return records.flatMap(({ key }) => (key.namespace === NAMESPACE ? [recordId(key)] : []));
}

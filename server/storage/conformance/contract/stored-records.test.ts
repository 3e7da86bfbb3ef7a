import { expect, it } from 'vitest';
import type { Granted } from '../../../contract/lock/answers';
import type { LockRecord } from '../../../core/lock/lock-record';
import { acquire, reassign } from '../../../core/testing/lock-requests';
import { LockWorld } from '../../../core/testing/lock-world';
import { decodeRecord, encodeRecord } from '../../codec/record-codec';
import type { Page, RecordKey } from '../../record-store';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  swapOne,
  update,
} from '../testing/changes';
import type { Store } from '../testing/stores-under-test';
import { contract } from './contract-suite';

contract('stored records', (suite) => {
  it('stores the largest rev and every text exactly', async () => {
    const key = freshKey();
    const seen = { rev: Number.MAX_SAFE_INTEGER - 1, writer: 'writer' };
    const text = `[${Number.MAX_SAFE_INTEGER},"it's \\\\ \\" \u{1f512} % _ \n \\u0000 jo\u0301b"]`;
    await created(suite.store, key, { ...seen, head: text, queue: text });
    expect(await stored(suite.store, key)).toEqual({ ...seen, head: text, queue: text });
    const change = update(key, seen);
    expect(change.rev).toBe(Number.MAX_SAFE_INTEGER);
    expect((await swapOne(suite.store, change)).current?.rev).toBe(Number.MAX_SAFE_INTEGER);
    expect((await stored(suite.store, key)).rev).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('stores a queue of the greatest length', async () => {
    const key = freshKey();
    const queue = 'w'.repeat(2_000 * 160);
    await created(suite.store, key, { queue });
    expect((await stored(suite.store, key)).queue).toBe(queue);
  });

  it('keeps the queue if a change does not name one, and empties it if it says so', async () => {
    const key = freshKey();
    const first = await created(suite.store, key, { queue: 'waiters' });
    const handOff = update(key, first, { head: 'next' });
    await swapOne(suite.store, handOff);
    expect(await stored(suite.store, key)).toMatchObject({ head: 'next', queue: 'waiters' });
    await swapOne(suite.store, update(key, handOff, { head: 'last', queue: '' }));
    expect(await stored(suite.store, key)).toMatchObject({ head: 'last', queue: '' });
  });

  it('stores a reassignment completely: the hold, the waiters and the operator', async () => {
    const world = new LockWorld();
    const { token } = world.run(acquire('orders/w1')) as Granted;
    const waiters = ['w2', 'w3', 'w4'] as const;
    for (const owner of waiters) world.run(acquire(`orders/${owner}`, { waitMs: 60_000 }));
    const before = world.record as LockRecord;
    const key = freshKey();
    const text = encodeRecord(before, null);
    const parts = { rev: before.rev, head: text.head, queue: text.queue };
    const seen = await created(suite.store, key, parts);
    const ticket = before.queue[1]?.ticket ?? 0;
    const { next, events } = world.propose(reassign(token, ticket)).decision;
    const known = decodeRecord(await stored(suite.other, key));
    const { head, queue } = encodeRecord(next as LockRecord, known);
    await swapOne(suite.other, update(key, seen, { head, queue, events }));
    const { record } = decodeRecord(await stored(suite.store, key));
    expect(record.holds.map(({ owner }) => owner)).toEqual(['w3']);
    expect(record.queue.map(({ owner }) => owner)).toEqual(['w2', 'w4']);
    expect((await suite.historyOf(key)).at(-1)?.events).toMatchObject([
      { kind: 'forced', owner: 'w1', by: 'ada' },
      { kind: 'granted', owner: 'w3', by: 'ada' },
    ]);
  });

  it('deletes a record only at the given rev and writer', async () => {
    const [gone, moved, foreign] = [freshKey(), freshKey(), freshKey()];
    const seen = await created(suite.store, gone);
    const before = await created(suite.store, moved);
    await swapOne(suite.store, update(moved, before));
    const stays = await created(suite.store, foreign);
    const forgotten = await suite.store.deleteRecords([
      { key: gone, ...seen },
      { key: moved, ...before },
      { key: foreign, rev: stays.rev, writer: 'another' },
    ]);
    expect(forgotten).toEqual([true, false, false]);
    expect((await readOne(suite.store, gone)).record).toBe(null);
    expect((await stored(suite.store, moved)).rev).toBe(2);
    expect((await stored(suite.store, foreign)).rev).toBe(1);
    expect((await swapOne(suite.store, update(gone, seen))).applied).toBe(false);
    expect((await readOne(suite.store, gone)).record).toBe(null);
  });

  it("deletes a record only once the store's clock has reached the given instant", async () => {
    const [due, early, never] = [freshKey(), freshKey(), freshKey()];
    const now = await suite.now();
    const records = [
      { key: due, ...(await created(suite.store, due)), notBefore: now - 60_000 },
      { key: early, ...(await created(suite.store, early)), notBefore: now + 60_000 },
      {
        key: never,
        ...(await created(suite.store, never)),
        notBefore: Number.POSITIVE_INFINITY,
      },
    ];
    expect(await suite.other.deleteRecords(records)).toEqual([true, false, false]);
    expect((await stored(suite.store, early)).rev).toBe(1);
    expect((await stored(suite.store, never)).rev).toBe(1);
  });

  it('either uses or deletes a record when both happen at once, never both', async () => {
    const keys = Array.from({ length: 40 }, () => freshKey());
    const seen = [];
    for (const key of keys) seen.push({ key, ...(await created(suite.store, key)) });
    const changes = seen.map(({ key, ...before }) => update(key, before, { head: 'used' }));
    const [gone, swapped] = await Promise.all([
      suite.other.deleteRecords(seen),
      Promise.all(changes.map((change) => swapOne(suite.store, change))),
    ]);
    for (const [i, key] of keys.entries()) {
      const head = (await readOne(suite.other, key)).record?.head ?? null;
      expect([gone[i], swapped[i]?.applied]).toEqual(head === null ? [true, false] : [false, true]);
    }
  });

  it('is scanned without gaps or repeats while others write', async () => {
    const keys = Array.from({ length: 500 }, () => freshKey('scanned'));
    const seen = await suite.store.swap(
      keys.map((key, i) => ({ ...blank, key, writer: `w${i}`, rev: 1 })),
    );
    expect(seen.every(({ applied }) => applied)).toBe(true);
    let done = false;
    const writing = writeUntil(() => done, keys, suite.store, await suite.under.another());
    const found: string[] = [];
    for (
      let cursor: Awaited<ReturnType<Store['scan']>>['next'] = {
        namespace: 'scanned',
        after: null,
      };
      cursor;
    ) {
      const page = await suite.store.scan(cursor, 7);
      expect(page.records.length).toBeLessThanOrEqual(7);
      found.push(...page.records.map(({ key }) => key.name));
      cursor = page.next;
    }
    done = true;
    await writing;
    expect(found.filter((each) => !each.startsWith('new-')).sort()).toEqual(
      keys.map((key) => key.name).sort(),
    );
    expect(new Set(found).size).toBe(found.length);
  });

  it('returns an empty page for an empty namespace', async () => {
    const page = await suite.store.scan({ namespace: 'nothing-there', after: null }, 10);
    expect(page).toEqual({ records: [], next: null });
  });

  it('ends a scan whose last page is full', async () => {
    for (let i = 0; i < 6; i += 1) await created(suite.store, freshKey('pages'));
    const sizes: number[] = [];
    let cursor: Page['next'] = { namespace: 'pages', after: null };
    while (cursor) {
      const page: Page = await suite.store.scan(cursor, 3);
      sizes.push(page.records.length);
      cursor = page.next;
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(6);
    expect(sizes.length).toBeLessThanOrEqual(3);
  });

  it('continues a scan behind a record that was deleted meanwhile', async () => {
    const keys = ['a', 'b', 'c', 'd'].map((name) => ({ namespace: 'moving', name }));
    const seen = [];
    for (const key of keys) seen.push(await created(suite.store, key));
    const { next } = await suite.store.scan({ namespace: 'moving', after: null }, 2);
    const [, b] = keys;
    if (!next || !b) throw new Error('The scan ended after its first page.');
    await suite.store.deleteRecords([{ key: b, ...(seen[1] ?? { rev: 0, writer: '' }) }]);
    const { records } = await suite.other.scan(next, 10);
    expect(records.map(({ key }) => key.name)).toEqual(['c', 'd']);
  });

  it('scans records as they are read, with the clock', async () => {
    const key = freshKey('as-read');
    await created(suite.store, key, { head: 'h', queue: 'q' });
    // Another process may estimate the clock differently.
    const { now: before } = await readOne(suite.other, key);
    const { records } = await suite.other.scan({ namespace: 'as-read', after: null }, 10);
    expect(records.map(({ record }) => record)).toEqual([await stored(suite.store, key)]);
    expect(records[0]?.now).toBeGreaterThanOrEqual(before);
  });

  it('keeps the history of a deleted record', async () => {
    const key = freshKey();
    const seen = await created(suite.store, key, { events: [eventOf(1)] });
    await suite.store.deleteRecords([{ key, ...seen }]);
    expect(await suite.historyOf(key)).toHaveLength(1);
  });

  it('deletes many records at once, and none twice', async () => {
    const keys = Array.from({ length: 50 }, () => freshKey());
    const gone = [];
    for (const key of keys) gone.push({ key, ...(await created(suite.store, key)) });
    expect(await suite.store.deleteRecords(gone)).toEqual(gone.map(() => true));
    expect(await suite.other.deleteRecords(gone)).toEqual(gone.map(() => false));
  });

  it('reports its guarantees: a level, full sentences, and the settings read', async () => {
    const { level, reasons, settings, unsafe } = await suite.store.guarantees();
    expect(['Strong', 'Timed', 'Best-effort']).toContain(level);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z].*\.$/s);
    for (const { name, value, complaint } of settings) {
      expect([name, typeof value]).toEqual([expect.stringMatching(/./), 'string']);
      if (complaint !== null) expect(complaint).toMatch(/./);
    }
    expect(unsafe).toBe(null);
  });

  it('keeps serving other processes when one closes it, and may be closed twice', async () => {
    const leaving = await suite.under.another();
    const key = freshKey();
    await created(leaving, key);
    await leaving.close();
    await leaving.close();
    expect((await stored(suite.store, key)).rev).toBe(1);
    expect((await swapOne(suite.other, creation(freshKey()))).applied).toBe(true);
  });
});

const blank = {
  expect: null,
  clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
  head: '',
  queue: '',
  events: [],
  storedAnswers: [],
  extensions: [],
};

/** Changes the records and adds new ones among them, one after another. */
async function writeUntil(
  isDone: () => boolean,
  keys: RecordKey[],
  ...stores: Store[]
): Promise<void> {
  await Promise.all(
    stores.map(async (store, part) => {
      for (let i = part; !isDone(); i += stores.length) {
        const key = keys[i % keys.length] as RecordKey;
        await swapOne(store, update(key, await stored(store, key)));
        await created(store, { namespace: 'scanned', name: `new-${i}` });
      }
    }),
  );
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTestLocation } from '@/db/testing/test-database';
import { serverBuild } from '@/scripts/build/bundle.mjs';
import { ApiHarness } from '@/test/api-harness';
import { buildOnce } from '@/test/build-once';
import { LockyardClient } from '../lockyard-client';
import { withLock } from '../with-lock';
import { type GuardedStore, openGuardedStore, type StoreKind } from './testing/guarded-store';

let api: ApiHarness;
let key: string;
let client: LockyardClient;
let folder: string;
let lateWriter: string;

beforeAll(async () => {
  const entry = join(import.meta.dirname, 'testing/late-writer.ts');
  lateWriter = await buildOnce('late-writer', (outfile) =>
    build({ ...serverBuild, entryPoints: [entry], outfile }),
  );
  api = await ApiHarness.start();
  key = await api.key('writers');
  client = new LockyardClient({ url: api.url, apiKey: key, owner: 'successor' });
  folder = mkdtempSync(join(tmpdir(), 'lockyard-guards-'));
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The location of a store of this kind, for this file only. */
async function placeOf(kind: StoreKind): Promise<{ url: string; remove(): Promise<void> }> {
  if (kind === 'redis') {
    const { TEST_REDIS_URL } = process.env;
    if (!TEST_REDIS_URL) throw new Error('TEST_REDIS_URL must name a Redis server for the tests.');
    return { url: TEST_REDIS_URL, remove: async () => {} };
  }
  const { url, remove } = await newTestLocation(kind);
  return { url: url.kind === 'sqlite' ? `file:${url.path}` : url.url, remove };
}

let names = 0;
const freshName = () => `guarded ${process.pid}-${Date.now()}-${++names}`;

describe.each<StoreKind>(['mysql', 'sqlite', 'redis'])('a guarded write to %s', (kind) => {
  let place: Awaited<ReturnType<typeof placeOf>>;
  let store: GuardedStore;
  beforeAll(async () => {
    place = await placeOf(kind);
    store = await openGuardedStore[kind](place.url);
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  test('refuses a late write of a holder whose process was stopped beyond its lease', async () => {
    const name = freshName();
    const signalFile = join(folder, `go-${names}`);
    const holder = fork(lateWriter, [kind, place.url, name, signalFile], {
      env: { ...process.env, LOCKYARD_URL: api.url, LOCKYARD_API_KEY: key },
    });
    try {
      const [{ token: paused }] = await once(holder, 'message');
      holder.kill('SIGSTOP');
      const successor = await withLock(name, { client }, async ({ token }) => {
        expect(await store.write(name, 'successor', token)).toEqual({ outcome: 'applied' });
        return token;
      });
      expect(successor).toBeGreaterThan(paused);
      writeFileSync(signalFile, '');
      holder.kill('SIGCONT');
      expect((await once(holder, 'message'))[0]).toEqual({
        outcome: { outcome: 'stale', seenToken: successor },
        ended: 'LockLost',
      });
      expect(await store.read(name)).toEqual({ value: 'successor', fence: successor });
    } finally {
      holder.kill('SIGKILL');
    }
  });

  test('lets an equal token write again, a higher one always and a lower one never', async () => {
    const name = freshName();
    expect(await store.write(name, 'a', 5)).toEqual({ outcome: 'applied' });
    expect(await store.write(name, 'a', 5)).toEqual({ outcome: 'applied' });
    expect(await store.write(name, 'b', 5)).toEqual({ outcome: 'applied' });
    expect(await store.write(name, 'c', 4)).toEqual({ outcome: 'stale', seenToken: 5 });
    expect(await store.read(name)).toEqual({ value: 'b', fence: 5 });
    expect(await store.write(name, 'd', 6)).toEqual({ outcome: 'applied' });
    expect(await store.write(name, 'b', 5)).toEqual({ outcome: 'stale', seenToken: 6 });
    expect(await store.read(name)).toEqual({ value: 'd', fence: 6 });
  });

  test('distinguishes neighbouring tokens at the end of their range', async () => {
    const name = freshName();
    const highest = Number.MAX_SAFE_INTEGER;
    expect(await store.write(name, 'a', highest - 1)).toEqual({ outcome: 'applied' });
    const below = { outcome: 'stale', seenToken: highest - 1 };
    expect(await store.write(name, 'b', highest - 2)).toEqual(below);
    expect(await store.write(name, 'c', highest)).toEqual({ outcome: 'applied' });
    const last = { outcome: 'stale', seenToken: highest };
    expect(await store.write(name, 'd', highest - 1)).toEqual(last);
    expect(await store.read(name)).toEqual({ value: 'c', fence: highest });
  });

  test('of 16 concurrent writers the highest token wins, and each refusal is correct', async () => {
    const seed = Date.now() % 2 ** 31;
    console.log(`seed ${seed} (${kind})`);
    const random = generator(seed);
    const name = freshName();
    const tokens = Array.from({ length: 320 }, () => 1 + Math.floor(random() * 1_000));
    const stale: { token: number; seenToken: number }[] = [];
    const writer = async (from: number) => {
      for (let at = from; at < tokens.length; at += 16) {
        const token = tokens[at] as number;
        const answer = (await store.write(name, `of ${token}`, token)) as {
          outcome: string;
          seenToken: number;
        };
        if (answer.outcome === 'stale') stale.push({ token, seenToken: answer.seenToken });
        else expect(answer).toEqual({ outcome: 'applied' });
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, from) => writer(from)));
    const highest = Math.max(...tokens);
    expect(await store.read(name)).toEqual({ value: `of ${highest}`, fence: highest });
    expect(stale.length).toBeGreaterThan(0);
    for (const { token, seenToken } of stale) {
      expect(seenToken).toBeGreaterThan(token);
      expect(tokens).toContain(seenToken);
    }
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '7', 7n, undefined, null])(
    'refuses %s for a token, and writes nothing',
    async (token) => {
      const name = freshName();
      await store.write(name, 'kept', 1);
      const write = async () => store.write(name, 'bad', token as number);
      await expect(write()).rejects.toMatchObject({ name: 'InvalidGuard' });
      expect(await store.read(name)).toEqual({ value: 'kept', fence: 1 });
    },
  );
});

/** Pseudo-random numbers from 0 up to, but not including, 1; the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 31;
  };
}

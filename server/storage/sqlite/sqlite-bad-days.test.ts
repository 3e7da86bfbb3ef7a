import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileUrl, openSqliteFile } from '@/db/sqlite/sqlite-file';
import { systemClock } from '@/server/platform/clock';
import { acquire, pause, release, renew, takeLock } from '../../engine/testing/engine-rig';
import { eventsByLock } from '../../engine/testing/events-by-lock';
import { checkHistory, type RecordedCall } from '../../engine/testing/history-checker';
import { RandomCaller } from '../../engine/testing/random-caller';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { freshKey } from '../conformance/testing/changes';
import { recordAnswer } from '../conformance/testing/record-answer';
import type { SqliteVictimTask } from '../conformance/testing/sqlite-victim';
import { startProcess } from '../conformance/testing/start-process';
import { startVictim } from '../conformance/testing/start-victim';
import { openBackend } from '../open-store';

/** The promise is 5 s; the rest is tolerance for a busy machine. */
const WITHIN_MS = 8_000;
const VICTIMS = 2;
const CALLS_BEFORE_DEATH = 80;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ly-sqlite-'));
  path = join(folder, 'lockyard.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openBackend({ kind: 'sqlite', path }, systemClock);

/**
 * Another process that uses the file, killed in the middle of its calls. Returns every call,
 * unanswered ones included.
 */
async function killInTheMiddle(task: SqliteVictimTask): Promise<RecordedCall[]> {
  const dieAt = CALLS_BEFORE_DEATH + (task.seed % 50);
  const victim = await startVictim('sqlite-victim.ts', task, (begun) => {
    if (begun === dieAt) victim.signal('SIGKILL');
  });
  await victim.ended;
  return victim.calls();
}

describe('a process that is killed with its SQLite file open', () => {
  it('leaves its grants to the next: nothing twice, nothing lost, no token lower', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const keys = [freshKey(), freshKey()];
    const kept = freshKey();
    const calls: RecordedCall[] = [];
    for (let i = 0; i < VICTIMS; i += 1) {
      calls.push(...(await killInTheMiddle({ path, seed: seed + i, kept, keys })));
    }
    expect(calls.length).toBeGreaterThanOrEqual(CALLS_BEFORE_DEATH * VICTIMS);
    expect(calls.filter(({ endedAt }) => endedAt === null)).not.toEqual([]);

    const startedAt = performance.now();
    const here = await startProcess(open);
    const { token } = await takeLock(here, kept, 'keeper', { leaseMs: 60_000, requestId: 'kept' });
    expect(performance.now() - startedAt).toBeLessThan(WITHIN_MS);
    const own = new Set<RecordedCall>();
    const until = performance.now() + 1_000;
    await new RandomCaller({
      member: here,
      owner: 'heir',
      keys,
      random: seeded(seed),
      note: (call) => own.add(call),
    }).live(() => performance.now() < until);
    expect(await recordAnswer(renew(here, kept, 'keeper', token))).toMatchObject({
      outcome: 'renewed',
    });
    expect(await recordAnswer(release(here, kept, 'keeper', token))).toMatchObject({
      outcome: 'released',
    });
    await here.engine.close();

    calls.push(...own);
    const store = await open();
    const written = await eventsByLock(store, [...keys, kept]);
    await store.close();
    expect(written.get(kept.name)?.map(({ kind }) => kind)).toEqual([
      'granted',
      'renewed',
      'released',
    ]);
    const tokensOf = (lock: string) =>
      (written.get(lock) ?? []).filter(({ kind }) => kind === 'granted').map((each) => each.token);
    const granted = calls.filter(({ verb, outcome }) => verb === 'acquire' && outcome === 'ok');
    for (const { lock, token: heard } of granted) expect(tokensOf(lock)).toContain(heard);
    const heard = new Set(granted.map((call) => `${call.lock} ${call.token}`));
    const revertedGrants = (lock: string) =>
      tokensOf(lock).filter((each) => !heard.has(`${lock} ${each}`)).length;
    expect(checkHistory(calls, { revertedGrants }), `seed ${seed}`).toEqual([]);
    for (const { name } of keys) {
      const revs = [...new Set(written.get(name)?.map(({ rev }) => rev))];
      expect(revs, `seed ${seed}`).toEqual(revs.map((_, i) => (revs[0] ?? 0) + i));
    }
  });
});

describe('a write lock of another program on a SQLite file', () => {
  it('delays calls only while it lasts', async () => {
    const here = await startProcess(open);
    await takeLock(here, freshKey(), 'before');
    const other = createClient({ url: fileUrl(path) });
    const written = await other.transaction('write');
    const lockedAt = performance.now();
    const answers = Promise.all(
      [0, 1, 2].map(async (i) => {
        await pause(i * 200);
        return recordAnswer(acquire(here, freshKey(), `w${i}`));
      }),
    );
    await pause(700);
    await written.rollback();
    const freeAt = performance.now();
    expect((await answers).map(({ outcome }) => outcome)).toEqual([
      'granted',
      'granted',
      'granted',
    ]);
    expect(performance.now() - freeAt).toBeLessThan(5_000);
    expect(freeAt - lockedAt).toBeGreaterThan(600);
    expect(await recordAnswer(acquire(here, freshKey(), 'after'))).toMatchObject({
      outcome: 'granted',
    });
    other.close();
    await here.engine.close();
  });
});

/** Bytes with which no page of a SQLite file begins, nor its header. */
const noise = (bytes: number, random: () => number) =>
  Buffer.from(Array.from({ length: bytes }, () => 128 + Math.floor(random() * 128)));

describe('garbage in a SQLite file', () => {
  it.each([
    ['from its first byte', 0],
    ['behind its first page', 4_096],
  ])(
    '%s is refused with nothing granted, and the whole file served as soon as it is back',
    async (_, from) => {
      const seed = newSeed();
      console.info(`seed ${seed}`);
      const before = await startProcess(open);
      const key = freshKey();
      const { token } = await takeLock(before, key, 'w1', { leaseMs: 600_000 });
      await before.engine.close();
      const file = await openSqliteFile(path);
      await file.client.execute('PRAGMA wal_checkpoint(TRUNCATE)');
      await file.close();
      const whole = readFileSync(path);
      const garbage = noise(whole.length - from, seeded(seed));
      writeFileSync(path, Buffer.concat([whole.subarray(0, from), garbage]));

      const here = await startProcess(open);
      for (let i = 0; i < 10; i += 1) {
        const answer = await recordAnswer(acquire(here, i % 2 ? key : freshKey(), 'w2'));
        expect(answer).toMatchObject({ outcome: 'BACKEND_DOWN', isTyped: true });
        expect(answer.tookMs).toBeLessThan(WITHIN_MS);
      }
      rmSync(`${path}-wal`, { force: true });
      writeFileSync(path, whole);
      const backAt = performance.now();
      while ((await recordAnswer(renew(here, key, 'w1', token))).outcome !== 'renewed') {
        expect(performance.now() - backAt).toBeLessThan(WITHIN_MS);
        await pause(20);
      }
      expect((await recordAnswer(acquire(here, key, 'w2'))).outcome).toBe('held');
      await here.engine.close();
    },
  );
});

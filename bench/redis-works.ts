import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { BackendLife } from '@/server/backends/backend-life';
import { RedisStore } from '@/server/backends/redis-store';
import { systemClock } from '@/server/clock';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { lockyardLockOver } from './lockyard-lock';
import { openLuaLock } from './lua-lock';
import { race } from './race';

const NAMES = 10_000;

const WORKS = [
  { callers: 50, atLeast: 0.5, aim: 1 },
  { callers: 500, atLeast: 0.7, aim: 1.5 },
];

const randomName = () => `lock-${Math.floor(Math.random() * NAMES)}`;

/** Acquire and release on a Redis. Both use one connection; whatever the server keeps, it keeps for both. */
export async function raceOnRedis(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ly-bench-'));
  const opponent = await openLuaLock(server);
  const ours = await openLockyardOnRedis(server, join(folder, 'control.db'));
  for (const { callers, ...bar } of WORKS) {
    const load = { callers, nextLock: randomName, counts: 'cycles' } as const;
    const contestant = (lock: BenchLock) => ({
      name: lock.name,
      run: () => closedLoop(lock, load, roundMs),
    });
    await race(
      `Redis: acquire + release, random of 10,000 names, ${callers} callers`,
      [contestant(opponent), contestant(ours)],
      [{ over: opponent.name, ...bar }],
      rounds,
    );
  }
  await opponent.close();
  await ours.close();
  await rm(folder, { recursive: true, force: true });
}

async function openLockyardOnRedis(url: string, path: string) {
  const database = await openDatabase({ kind: 'sqlite', path });
  await migrate(database);
  const life = await BackendLife.open(database, 'bench', systemClock.now());
  return lockyardLockOver(new RedisStore(url, life), database);
}

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { LockPage } from '@/server/contract/console/lock-row';
import { median } from '../median';
import { BenchCallers } from './bench-callers';
import { allowMore } from './list-cases';
import { LiveReader } from './live-reader';
import { type ServerUnderLoad, startServerUnderLoad } from './server-under-load';

const LOCKS = 100_000;
const RSS_MAX_MIB = 600;
const RSS_AFTER_MS = 60_000;
const QUERIES = 200;
const QUERY_MAX_MS = 50;
const TICK_MAX_MS = 5;
const TICK_ROUNDS = 5;
/** Each round includes two rankings, which happen every 10 s. */
const TICKS_FOR_MS = 20_000;
const TICKS_PER_SECOND = 2;
/** Few enough for a tick with at most 20 changed rows. */
const FEW_EVENTS_PER_SECOND = 40;
const EVENTS_PER_SECOND = 500;
const SEEN_WITHIN_MS = 1_000;
const WATCHED = 'order-77';
const MEBIBYTE = 1024 * 1024;

const SORTS = ['worst', 'name', 'held', 'lease', 'waiters'];
const FILTERS: { [filter: string]: (i: number) => object } = {
  'no filter': () => ({}),
  'one status': () => ({ status: 'held' }),
  'one namespace': () => ({ namespace: 'default' }),
  'a search never made before': (i) => ({ search: `order-${i}` }),
  'a search without hits': (i) => ({ search: `nothing-${i}` }),
};

/**
 * Measures what lists cost at 100,000 held locks: memory, queries, ticks, and how soon an event
 * shows.
 */
export async function measureLists(): Promise<void> {
  console.log(`Lists of ${LOCKS.toLocaleString('en')} held locks`);
  const server = await startServerUnderLoad();
  const callers = new BenchCallers(server);
  try {
    await allowMore(server);
    await callers.take(LOCKS);
    await pause(RSS_AFTER_MS);
    const [lock] = await server.usage();
    const rss = Math.round((lock?.rssBytes ?? 0) / MEBIBYTE);
    say(`RSS of the lock process a minute after the load: ${rss} MiB`, rss, RSS_MAX_MIB, 'MiB');
    await measureQueries(server);
    await reachEverything(server);
    await measureTicks(server, callers);
    await measureSight(server, callers);
  } finally {
    callers.close();
    await server.close();
  }
}

/** Runs them one at a time, each with the work that the process did meanwhile. */
async function measureQueries(server: ServerUnderLoad): Promise<void> {
  const all: number[] = [];
  let made = 0;
  for (const [filter, inputOf] of Object.entries(FILTERS)) {
    for (const sort of SORTS) {
      const costs: number[] = [];
      for (let i = 0; i < QUERIES / 25; i += 1) {
        made += 1;
        const input = { ...inputOf(made), sort, descending: i % 2 === 1, offset: 1_000 * i };
        const before = await processCpuMs(server.pid);
        await server.askConsole('locks.list', input);
        costs.push((await processCpuMs(server.pid)) - before);
      }
      all.push(...costs);
      const most = Math.max(...costs);
      console.log(`  ${filter}, by ${sort}: median ${inMs(median(costs))}, most ${inMs(most)}`);
    }
  }
  const p95 = quantile(all, 0.95);
  say(`${all.length} list queries: p95 ${inMs(p95)} of CPU`, p95, QUERY_MAX_MS, 'ms');
}

async function reachEverything(server: ServerUnderLoad): Promise<void> {
  const seen = new Set<string>();
  for (let offset = 0; offset < LOCKS; offset += 1_000) {
    const input = { sort: 'name', offset, limit: 1_000 };
    const { rows } = (await server.askConsole('locks.list', input)) as LockPage;
    for (const { id } of rows) seen.add(id);
  }
  console.log(`  ${seen.size === LOCKS ? 'holds' : 'FAILS'}: ${seen.size} rows reached by offset`);
}

/**
 * Runs the same few events without streams and with three, in turn. Returns the median of the
 * differences: one collection of the whole heap costs as much as all ticks.
 */
async function measureTicks(server: ServerUnderLoad, callers: BenchCallers): Promise<void> {
  const spent = async (streams: object[]) => {
    const readers = streams.map((input) => new LiveReader(server, server.cookie, input));
    const stop = callers.stir(FEW_EVENTS_PER_SECOND);
    await pause(2_000);
    const before = await processCpuMs(server.pid);
    await pause(TICKS_FOR_MS);
    const cpuMs = (await processCpuMs(server.pid)) - before;
    await stop();
    for (const reader of readers) reader.close();
    return cpuMs;
  };
  const inputs = [{}, { status: 'held', sort: 'held' }, { search: 'tenant-4', sort: 'lease' }];
  const ticks = (TICKS_FOR_MS / 1_000) * TICKS_PER_SECOND * inputs.length;
  const rounds: number[] = [];
  for (let round = 0; round < TICK_ROUNDS; round += 1) {
    const without = await spent([]);
    rounds.push(((await spent(inputs)) - without) / ticks);
  }
  console.log(`  ticks of ${rounds.map(inMs).join(', ')} in ${TICK_ROUNDS} rounds`);
  const tick = Math.max(0, median(rounds));
  say(`a stream's tick: ${tick.toFixed(2)} ms of CPU, ranking included`, tick, TICK_MAX_MS, 'ms');
}

/** The time from a service's answer until the reader receives the row. */
async function measureSight(server: ServerUnderLoad, callers: BenchCallers): Promise<void> {
  const answeredAt = new Map<number, number>();
  const latencies: number[] = [];
  const reader = new LiveReader(
    server,
    server.cookie,
    { search: WATCHED, sort: 'name', limit: 1_000 },
    (message) => {
      const now = performance.now();
      for (const { hold } of message.kind === 'changes' ? message.rows : []) {
        const at = hold ? answeredAt.get(hold.token) : undefined;
        if (!hold || at === undefined) continue;
        answeredAt.delete(hold.token);
        latencies.push(now - at);
      }
    },
  );
  const stop = callers.stir(EVENTS_PER_SECOND, ({ name, token }) => {
    if (name.includes(WATCHED)) answeredAt.set(token, performance.now());
  });
  await pause(30_000);
  const events = await stop();
  await pause(2_000);
  reader.close();
  const p95 = quantile(latencies, 0.95);
  say(
    `an event is with its reader after ${inMs(quantile(latencies, 0.5))}, p95 ${inMs(p95)}` +
      ` (${latencies.length} of ${events} events at ${Math.round(events / 30)}/s)`,
    p95,
    SEEN_WITHIN_MS,
    'ms',
  );
}

function say(what: string, value: number, most: number, unit: string): void {
  console.log(`  ${value <= most ? 'holds' : 'FAILS'}: ${what} (at most ${most} ${unit})`);
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

const inMs = (ms: number) => `${ms.toFixed(1)} ms`;

/** The CPU time of all threads of a process so far, in milliseconds; needs /proc. */
async function processCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const spent = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1_000_000;
    }),
  );
  return spent.reduce((sum, ms) => sum + ms, 0);
}

import { examplesOf } from '@/test/docs/pages';

/** Programs that a fresh project compiles and runs against the packed and installed client. */

/** Types alone, with every check, and no server. */
export const TYPED = `
import { acquireHold, LockLost, LockTimeout, LockyardClient, LockyardError } from 'lockyard';
import { tryWithLock, withLock, withLocks } from 'lockyard';
import type { AcquireAnswer, AcquireManyAnswer, Hold, LockSetHold } from 'lockyard';
import type { LockObserver, WithLockOptions } from 'lockyard';
import { guardedUpdate, type MysqlConnection } from 'lockyard/guards/mysql';
import { guardedSet, type IoredisClient } from 'lockyard/guards/redis';
import { guardedUpsert, type AsyncSqlite, type SyncSqlite } from 'lockyard/guards/sqlite';

const observer: LockObserver = { waitEnded: ({ outcome, waitedMs }) => void [outcome, waitedMs] };
const server = { url: 'http://127.0.0.1:1', apiKey: 'k' };
const client = new LockyardClient({ ...server, version: '1.0.0', observer });
const options: WithLockOptions = { client, waitMs: 0, signal: AbortSignal.timeout(50) };
const work = async (hold: Hold) => hold.token + hold.remainingMs();
const done: Promise<number> = withLock('job', options, work);
const text: string = await done.then(String, (error: unknown) =>
  error instanceof LockLost || error instanceof LockTimeout ? error.lock : (error as Error).name);
const answer: Promise<AcquireAnswer | string> = client
  .acquire({ name: 'job', leaseMs: 1_000 })
  .catch((error: unknown) => (error instanceof LockyardError ? error.reason : 'no'));
const many = (set: LockSetHold): number => set.token('a') + set.remainingMs();
const both: Promise<number | string> = withLocks(
  ['a', { name: 'b', mode: 'shared' }],
  options,
  many,
).catch(String);
const asked: Promise<AcquireManyAnswer | string> = client
  .acquireMany({ locks: [{ name: 'a' }, { name: 'b' }], leaseMs: 1_000 })
  .catch(String);
const tried: string | number = await tryWithLock('job', options, work).then(
  (answer) => (answer.outcome === 'done' ? answer.value : answer.holders.length),
  String,
);
const unoptioned: () => Promise<number> = () => withLock('job', work);
export async function block(): Promise<number> {
  await using hold = await acquireHold('job', options);
  return hold.token;
}
// @ts-expect-error there is no such option
export const misspelt = () => withLock('job', { client, waitMS: 0 }, work);
// @ts-expect-error a lock of a set needs a name
withLocks([{ mode: 'shared' }], options, many).catch(() => {});
// @ts-expect-error a lock needs a name
client.inspect({}).catch(() => {});
console.log(text, await answer, typeof tried, typeof unoptioned);
await Promise.all([both, asked]);

const write = { table: 'accounts', key: { id: 42 }, set: { balance: 7 }, token: 5 };
export async function guarded(
  mysql: MysqlConnection,
  sqlite: AsyncSqlite,
  sync: SyncSqlite,
  redis: IoredisClient,
) {
  const first = await guardedUpdate(mysql, write);
  // @ts-expect-error only what is stale has a token seen
  first.seenToken;
  const seen: number = first.outcome === 'stale' ? first.seenToken : 0;
  const second: 'applied' | 'stale' = (await guardedUpsert(sqlite, write)).outcome;
  const third: 'applied' | 'stale' = guardedUpsert(sync, write).outcome;
  // @ts-expect-error a guarded write needs a token
  await guardedSet(redis, { key: 'a', value: 'b' });
  return [seen, second, third];
}
`;

/** All features together, over real drivers, against the server that the environment names. */
export const WHOLE = `
import { randomUUID } from 'node:crypto';
import { createClient } from '@libsql/client';
import { Redis } from 'ioredis';
import { acquireHold, lead, LockUpgradeRefused, LockyardClient } from 'lockyard';
import { tryWithLock, withLock } from 'lockyard';
import { guardedUpdate, guardedUpsert as upsertMysql } from 'lockyard/guards/mysql';
import { guardedSet, InvalidGuard } from 'lockyard/guards/redis';
import { guardedUpsert as upsertSqlite } from 'lockyard/guards/sqlite';
import { createPool } from 'mysql2/promise';

const { MYSQL_URL = '', REDIS_URL = '', SQLITE_URL = '' } = process.env;
const observed: string[] = [];
const client = new LockyardClient({
  observer: {
    waitEnded: ({ outcome }) => void observed.push(outcome),
    released: ({ outcome }) => void observed.push(outcome),
  },
});
await client.createCounter({ name: 'tickets', initial: 1, floor: 0 });
const sell = () => client.addToCounter({ name: 'tickets', delta: -1, requestId: randomUUID() });
const sold = [(await sell()).outcome, (await sell()).outcome];

const pool = createPool({ uri: MYSQL_URL });
const sqlite = createClient({ url: SQLITE_URL });
const redis = new Redis(REDIS_URL);
const table = 'CREATE TABLE things (name VARCHAR(9) PRIMARY KEY, value INT, fence BIGINT)';
await pool.query(table);
await sqlite.execute(table);
const key = 'package:' + randomUUID();

const written = await withLock('job', { client }, (outer) =>
  withLock('job', { client, mode: 'shared' }, async ({ token }) => {
    const outcomes: string[] = [String(token === outer.token)];
    for (const of of [token, token - 1]) {
      const write = { table: 'things', key: { name: 'x' }, set: { value: of % 1_000 }, token: of };
      outcomes.push((await upsertMysql(pool, write)).outcome);
      outcomes.push((await guardedUpdate(pool, write)).outcome);
      outcomes.push((await upsertSqlite(sqlite, write)).outcome);
      const set = { key, value: String(of), token: of, expireMs: 60_000 };
      outcomes.push((await guardedSet(redis, set)).outcome);
    }
    return outcomes;
  }),
);
const upgrade = () => withLock('job', { client }, () => 'never');
const refusals = [
  await withLock('job', { client, mode: 'shared' }, upgrade)
    .catch((error: unknown) => error instanceof LockUpgradeRefused && error.name),
  await upsertMysql(pool, { table: 'things', key: {}, set: {}, token: 1 })
    .catch((error: unknown) => error instanceof InvalidGuard && error.name),
];

const other = new LockyardClient({ owner: 'other' });
const heard: unknown[] = [];
{
  await using hold = await acquireHold('block', { client: other });
  const tried = await tryWithLock('block', { client: other, ownHold: true }, () => 'never');
  heard.push(tried.outcome === 'held' && tried.holders[0]?.token === hold.token);
}
heard.push(await tryWithLock('block', { client: other }, () => 'free again'));
const stop = new AbortController();
await lead('leader', {
  client: other,
  signal: stop.signal,
  onElected: () => stop.abort(),
  onLost: (why) => heard.push(why),
});
heard.push((await other.inspect({ name: 'leader' })).state);
console.log(JSON.stringify({ sold, written, refusals, observed, heard }));
await pool.end();
await redis.quit();
sqlite.close();
`;

/** The package together with the tracing API, as JavaScript. */
export const TRACED = `
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { withLock } from 'lockyard';

const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor(exporter)];
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
await withLock('traced', {}, () => 'done');
console.log(exporter.getFinishedSpans().map(({ name }) => name).join(' '));
`;

/** Runs the pages' snippets that its arguments name, with what those take as given as globals. */
export const RUN_SNIPPETS = `
import { LockyardClient } from 'lockyard';

const { LOCKYARD_URL: url, LOCKYARD_API_KEY: apiKey } = process.env;
console.warn = console.log;
Object.assign(globalThis, {
  url,
  apiKey,
  orderId: 'order-1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  token: 1,
  client: new LockyardClient(),
  readDrafts: async () => ['draft'],
  writeInvoices: async (drafts) => drafts.length,
  transfer: async () => {},
  writeReport: async () => {},
  runScheduler: () => shutdown.abort(),
  routeTo: () => {},
  openInvoices: async () => ['invoice'],
  store: { write: async () => {} },
});
for (const name of process.argv.slice(2)) {
  globalThis.shutdown = new AbortController();
  const ended = setTimeout(() => shutdown.abort(), 2_000);
  const { snippet } = await import('./' + name + '.js');
  await snippet();
  clearTimeout(ended);
  console.log(name);
}
`;

/** The pages whose TypeScript is compiled, and run where it needs no other driver. */
export const TYPED_PAGES = [
  'README.md',
  'client/README.md',
  'docs/alerts.md',
  'docs/api.md',
  'docs/client.md',
  'docs/traces.md',
];

/** What the pages take as given. */
export const GIVEN = `
import * as lockyard from 'lockyard';
import type { Pool } from 'mysql2/promise';
import type { Client } from '@libsql/client';
import type { Redis } from 'ioredis';
declare const client: lockyard.LockyardClient, pool: Pool, sqlite: Client, redis: Redis;
declare const url: string, apiKey: string, orderId: string, token: number, traceparent: string;
declare function readDrafts(options: { signal: AbortSignal }): Promise<string[]>;
declare function writeInvoices(drafts: string[], options: object): Promise<number>;
declare function transfer(options: object): Promise<void>;
declare function writeReport(): Promise<void>;
declare function runScheduler(options: object): Promise<void>;
declare function routeTo(owner: string | null): void;
declare function openInvoices(): Promise<string[]>;
declare const store: { write(invoice: string, options: { token: number }): Promise<void> };
declare const shutdown: AbortController;
`;

/**
 * The TypeScript of a page as modules: imports on top, the rest within a function that knows
 * `GIVEN`.
 */
export function snippets(page: string): Record<string, string> {
  const blocks = examplesOf(page).filter(({ language }) => language === 'ts');
  const isImport = (line: string) => line.startsWith('import ');
  const modules = blocks.map(({ text }, at) => {
    const lines = text.split('\n');
    const imports = lines.filter(isImport).join('\n');
    const rest = lines.filter((line) => !isImport(line)).join('\n');
    const body = `export async function snippet() {\n${rest}\n}`;
    return [`${page.replace(/\W/g, '-')}-${at}`, `${imports}\n${GIVEN}\n${body}\n`];
  });
  return Object.fromEntries(modules);
}

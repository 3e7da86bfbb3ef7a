import type { Redis } from 'ioredis';
import type { ServerRun } from './backend-life';
import { StoreError } from './record-store';

/** What a Redis says of itself: everything that bears on whether it keeps what it is told. */
export interface RedisFacts {
  version: string;
  /** Another one after every restart. */
  runId: string;
  role: string;
  replicas: number;
  /** Which history of writes it goes on with; another one after it has followed another server. */
  replicationId: string;
  /** Whether a replica copied it lately, though none may be connected now. */
  wasCopied: boolean;
  /** Whether it took over from another server since it started: its memory is that one's, as far as it had come. */
  wasPromoted: boolean;
  isCluster: boolean;
  appendOnly: boolean;
  /** Null where the connection's user may not ask, or nobody may. */
  appendFsync: string | null;
  /** Whether it leaves out flushes while it rewrites its files. */
  skipsFlushes: boolean;
  /** Bytes; 0 for no limit. */
  maxMemory: number;
  evictionPolicy: string;
  /** Since its start. */
  evictedKeys: number;
}

const OLDEST_MAJOR = 7;
const NO_REPLICATION_ID = /^0*$/;

export async function readRedisFacts(redis: Redis): Promise<RedisFacts> {
  const [info, flushing] = await Promise.all([redis.info(), flushingOf(redis)]);
  const told = new Map(
    info.split('\r\n').map((line): [string, string] => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  const of = (name: string) => told.get(name) ?? '';
  if (of('redis_mode') === 'sentinel') {
    throw new StoreError('This is a Redis Sentinel, which keeps nothing: name a Redis.', 'no');
  }
  // Until it is done it says that it flushes nothing, whatever it is set to.
  if (of('loading') === '1') throw new StoreError('Redis is still reading its files.', 'no');
  return {
    version: of('redis_version'),
    runId: of('run_id'),
    role: of('role'),
    replicas: Number(of('connected_slaves')),
    replicationId: of('master_replid'),
    wasCopied: of('repl_backlog_active') === '1',
    wasPromoted: !NO_REPLICATION_ID.test(of('master_replid2')),
    isCluster: of('cluster_enabled') === '1',
    appendOnly: of('aof_enabled') === '1',
    appendFsync: flushing?.get('appendfsync') ?? null,
    skipsFlushes: flushing?.get('no-appendfsync-on-rewrite') === 'yes',
    maxMemory: Number(of('maxmemory')),
    evictionPolicy: of('maxmemory_policy'),
    evictedKeys: Number(of('evicted_keys')),
  };
}

const FLUSHING = ['appendonly', 'appendfsync', 'no-appendfsync-on-rewrite'] as const;

/** Null where the user of this connection may not ask, or nobody may, as with those that are rented. */
async function flushingOf(redis: Redis): Promise<Map<string, string> | null> {
  try {
    const reply = (await redis.call('CONFIG', 'GET', ...FLUSHING)) as string[];
    const names = reply.filter((_, i) => i % 2 === 0);
    return new Map(names.map((name, i) => [name, reply[2 * i + 1] ?? '']));
  } catch (error) {
    if (/^(NOPERM|ERR unknown command)\b/.test((error as Error).message)) return null;
    throw error;
  }
}

/** Whether it is set to flush every write before it answers, as of this moment. */
export async function flushesNow(redis: Redis): Promise<boolean> {
  const flushing = await flushingOf(redis);
  const [kept, often, skipping] = FLUSHING.map((name) => flushing?.get(name));
  return kept === 'yes' && often === 'always' && skipping !== 'yes';
}

/** Whether a crash of the server itself loses nothing that it has answered. */
export function isFlushed({ appendOnly, appendFsync, skipsFlushes }: RedisFacts): boolean {
  return appendOnly && appendFsync === 'always' && !skipsFlushes;
}

/** The run of the server that says so of itself. */
export function runOf(facts: RedisFacts): Required<ServerRun> {
  const { runId, replicationId, evictedKeys, replicas, wasCopied } = facts;
  const isDurable = isFlushed(facts) && replicas === 0 && !wasCopied;
  return { runId, replicationId, evictedKeys, isDurable };
}

/** A version that is not told is none to rest on. */
export function isTooOld({ version }: RedisFacts): boolean {
  return !(Number.parseInt(version, 10) >= OLDEST_MAJOR);
}

/** Whether nothing can be asked of it: it has not what our scripts need, or keeps nothing itself. */
export function isUseless(facts: RedisFacts): boolean {
  return isTooOld(facts) || facts.role !== 'master';
}

export const IS_REPLICA =
  'This Redis is a replica: it follows another one and keeps nothing itself.';

/** Why no lock may be granted there, as one sentence; null where one may. */
export function refusalOf(facts: RedisFacts): string | null {
  const { version, role, evictionPolicy } = facts;
  if (isTooOld(facts)) {
    return `Redis ${version || 'of an unknown version'} is too old: it must be version ${OLDEST_MAJOR} or newer.`;
  }
  if (role !== 'master') return IS_REPLICA;
  if (evictionPolicy !== 'noeviction') {
    return `This Redis evicts keys when its memory is full (maxmemory-policy ${evictionPolicy}): a lock could be forgotten while it is held. It must be noeviction.`;
  }
  return null;
}

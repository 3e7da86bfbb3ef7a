import type { Redis } from 'ioredis';
import type { ServerRun } from '../incarnation/incarnation-row';
import { StoreError } from '../record-store';

/** What a Redis reports about itself that decides whether it keeps its writes. */
export interface RedisFacts {
  version: string;
  /** Different after every restart. */
  runId: string;
  role: string;
  replicas: number;
  /** The id of the write history that it continues; changes when it follows another server. */
  replicationId: string;
  /** Whether a replica copied it recently, even if none is connected now. */
  wasCopied: boolean;
  /** Whether it took over from another server since its start, with the data copied by then. */
  wasPromoted: boolean;
  isCluster: boolean;
  appendOnly: boolean;
  /** Null if the connection's user, or every user, may not ask. */
  appendFsync: string | null;
  /** Whether it skips flushes while it rewrites its files. */
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
  const fields = new Map(
    info.split('\r\n').map((line): [string, string] => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  const of = (name: string) => fields.get(name) ?? '';
  if (of('redis_mode') === 'sentinel') {
    throw new StoreError('This is a Redis Sentinel, which stores no locks: name a Redis.', 'no');
  }
  // While loading it reports that it flushes nothing, whatever its settings.
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

/** Null if this connection's user may not ask, or no user may, as on hosted servers. */
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

/** Whether it is currently set to flush every write before it answers. */
export async function flushesEveryWrite(redis: Redis): Promise<boolean> {
  const flushing = await flushingOf(redis);
  const [appendOnly, appendFsync, skipsFlushes] = FLUSHING.map((name) => flushing?.get(name));
  return appendOnly === 'yes' && appendFsync === 'always' && skipsFlushes !== 'yes';
}

/** Whether a crash of the server loses nothing that it has answered. */
export function isFlushed({ appendOnly, appendFsync, skipsFlushes }: RedisFacts): boolean {
  return appendOnly && appendFsync === 'always' && !skipsFlushes;
}

/** The run that the server reports. */
export function serverRunOf(facts: RedisFacts): Required<ServerRun> {
  const { runId, replicationId, evictedKeys, replicas, wasCopied } = facts;
  const isDurable = isFlushed(facts) && replicas === 0 && !wasCopied;
  return { runId, replicationId, evictedKeys, isDurable };
}

/** An unreported version counts as too old. */
export function isTooOld({ version }: RedisFacts): boolean {
  return !(Number.parseInt(version, 10) >= OLDEST_MAJOR);
}

/** Whether it can answer no request: it lacks what our scripts need, or stores nothing itself. */
export function servesNothing(facts: RedisFacts): boolean {
  return isTooOld(facts) || facts.role !== 'master';
}

export const IS_REPLICA =
  'This Redis is a replica: it follows another one and stores nothing itself.';

/** Why no lock may be granted there, as one sentence; null if locks may be granted. */
export function refusalOf(facts: RedisFacts): string | null {
  const { version, role, evictionPolicy } = facts;
  if (isTooOld(facts)) {
    return (
      `Redis ${version || 'of an unknown version'} is too old: it must be version ` +
      `${OLDEST_MAJOR} or newer.`
    );
  }
  if (role !== 'master') return IS_REPLICA;
  if (evictionPolicy !== 'noeviction') {
    return (
      `This Redis evicts keys when its memory is full (maxmemory-policy ${evictionPolicy}): a ` +
      'lock could be forgotten while it is held. It must be noeviction.'
    );
  }
  return null;
}

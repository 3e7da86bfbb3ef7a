import type { Redis } from 'ioredis';
import { StoreError } from './record-store';

/** What a Redis says of itself: everything that bears on whether it keeps what it is told. */
export interface RedisFacts {
  version: string;
  /** Another one after every restart. */
  runId: string;
  role: string;
  replicas: number;
  /** Whether it took over from another server since it started: its memory is that one's, as far as it had come. */
  wasPromoted: boolean;
  isCluster: boolean;
  appendOnly: boolean;
  /** Null where the connection's user may not ask, or nobody may. */
  appendFsync: string | null;
  /** Bytes; 0 for no limit. */
  maxMemory: number;
  evictionPolicy: string;
}

const OLDEST_MAJOR = 7;
const NO_REPLICATION_ID = /^0*$/;

export async function readRedisFacts(redis: Redis): Promise<RedisFacts> {
  const [info, appendFsync] = await Promise.all([redis.info(), appendFsyncOf(redis)]);
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
    wasPromoted: !NO_REPLICATION_ID.test(of('master_replid2')),
    isCluster: of('cluster_enabled') === '1',
    appendOnly: of('aof_enabled') === '1',
    appendFsync,
    maxMemory: Number(of('maxmemory')),
    evictionPolicy: of('maxmemory_policy'),
  };
}

/** Null where the user of this connection may not ask, or nobody may, as with those that are rented. */
async function appendFsyncOf(redis: Redis): Promise<string | null> {
  try {
    const [, value] = (await redis.config('GET', 'appendfsync')) as string[];
    return value ?? null;
  } catch (error) {
    if (/^(NOPERM|ERR unknown command)\b/.test((error as Error).message)) return null;
    throw error;
  }
}

/** Whether a crash of the server itself loses nothing that it has answered. */
export function isFlushed({ appendOnly, appendFsync }: RedisFacts): boolean {
  return appendOnly && appendFsync === 'always';
}

/** A version that is not told is none to rest on. */
export function isTooOld({ version }: RedisFacts): boolean {
  return !(Number.parseInt(version, 10) >= OLDEST_MAJOR);
}

/** Why no lock may be kept there at all, as one sentence; null where one may. */
export function refusalOf(facts: RedisFacts): string | null {
  const { version, role, evictionPolicy } = facts;
  if (isTooOld(facts)) {
    return `Redis ${version || 'of an unknown version'} is too old: it must be version ${OLDEST_MAJOR} or newer.`;
  }
  if (role !== 'master')
    return 'This Redis is a replica: it follows another one and keeps nothing itself.';
  if (evictionPolicy !== 'noeviction') {
    return `This Redis evicts keys when its memory is full (maxmemory-policy ${evictionPolicy}): a lock could be forgotten while it is held. It must be noeviction.`;
  }
  return null;
}

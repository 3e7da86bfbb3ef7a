import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import type { AcquireAnswer } from '@/server/contract/lock/answers';
import { DEFAULT_POLICY, QUEUE_LIMIT_MAX } from '@/server/contract/namespace-policy';
import type { AcquireCommand } from '@/server/core/lock/lock-command';
import { createEngine } from '@/server/engine/create-engine';
import type { EngineOptions } from '@/server/engine/engine-context';
import type { LockEngine, StoreEngine } from '@/server/engine/lock-engine';
import { newWriter } from '@/server/engine/new-writer';
import { anonymousRequest, requestIdentity } from '@/server/engine/request-identity';
import { systemClock } from '@/server/platform/clock';
import { openStore } from '@/server/storage/open-store';
import type { RecordKey, RecordStore } from '@/server/storage/record-store';
import type { QueueingBenchLock } from './bench-lock';

const LEASE_MS = 30_000;
const PATIENCE_MS = 20_000;
const POLICY = { ...DEFAULT_POLICY, queueLimit: QUEUE_LIMIT_MAX };
const WAIT = { holdRequestMs: 25_000 };

/** How the bench holds its locks, and the name of that mode. */
interface HoldKind extends Pick<AcquireCommand, 'mode' | 'permits' | 'capacity'> {
  name: string;
}

/** Receives each answer to an acquire. */
type OnAnswer = (
  engine: LockEngine,
  key: RecordKey,
  caller: { service: string; owner: string },
  answer: AcquireAnswer,
) => void;

const EXCLUSIVE: HoldKind = { name: 'Lockyard', mode: 'exclusive' };

/** Lockyard on MySQL. */
export async function openLockyardLock(
  url: string,
  held: HoldKind = EXCLUSIVE,
): Promise<QueueingBenchLock> {
  const database = await openDatabase({ kind: 'mysql', url });
  await migrate(database);
  const store = await openStore({ kind: 'mysql', url }, database, systemClock);
  return lockyardLockOver(store, database, held);
}

/** Lockyard's engine over a store, as one process runs it. */
export function createBenchEngine(
  store: RecordStore,
  onSwap?: EngineOptions['onSwap'],
): Promise<StoreEngine> {
  return createEngine({
    backend: 'default',
    kind: 'bench',
    store,
    epochOf: () => 1,
    clock: systemClock,
    processId: newWriter(),
    newWriter,
    policyOf: () => POLICY,
    ...(onSwap && { onSwap }),
  });
}

/**
 * Lockyard's engine over a store: owner, token, queue and history included.
 *
 * @param place closed together with the lock
 */
export async function lockyardLockOver(
  store: RecordStore,
  place: { close(): Promise<void> },
  held: HoldKind = EXCLUSIVE,
  onAnswer?: OnAnswer,
): Promise<QueueingBenchLock> {
  return lockyardLockOf(await createBenchEngine(store), place, { held, onAnswer });
}

/** @param place closed together with the lock */
export function lockyardLockOf(
  engine: LockEngine,
  place: { close(): Promise<void> },
  {
    namespace = 'default',
    held: { name: heldName, ...wanted } = EXCLUSIVE,
    name = heldName,
    onAnswer = () => {},
    sendsRequestIds = false,
  }: {
    namespace?: string;
    held?: HoldKind | undefined;
    name?: string | undefined;
    onAnswer?: OnAnswer | undefined;
    /** As in every client, so that a call is safe to repeat. */
    sendsRequestIds?: boolean | undefined;
  } = {},
): QueueingBenchLock {
  const keyOf = (name: string) => ({ namespace, name });
  const self = (owner: string) => ({ service: 'bench', owner });
  const identified = (verb: string, lock: string, input: { owner: string; token?: number }) =>
    requestIdentity({ ...keyOf(lock), service: 'bench', verb, requestId: newWriter(), input });
  const acquire = async (lock: string, owner: string, waitMs: number) => {
    const answer = await engine.acquire(
      keyOf(lock),
      {
        verb: 'acquire',
        ...self(owner),
        leaseMs: LEASE_MS,
        waitMs,
        ...wanted,
        reentrant: false,
        meta: {},
        request: sendsRequestIds ? identified('acquire', lock, { owner }) : anonymousRequest(),
      },
      WAIT,
    );
    onAnswer(engine, keyOf(lock), self(owner), answer);
    return answer;
  };
  return {
    name,
    async tryAcquire(lock, owner) {
      const answer = await acquire(lock, owner, 0);
      return answer.outcome === 'granted' ? String(answer.token) : null;
    },
    async acquire(lock, owner) {
      const answer = await acquire(lock, owner, PATIENCE_MS);
      if (answer.outcome === 'granted') return String(answer.token);
      throw new Error(`The bench did not get a lock: ${answer.outcome}`);
    },
    async release(lock, owner, grant) {
      const token = Number(grant);
      const request = sendsRequestIds ? identified('release', lock, { owner, token }) : null;
      const command = { verb: 'release', ...self(owner), token, request } as const;
      const { outcome } = await engine.run(keyOf(lock), command);
      if (outcome !== 'released') throw new Error(`The bench lost a lock: ${outcome}`);
    },
    async queueLength(lock) {
      const { waiters } = await engine.run(keyOf(lock), { verb: 'inspect' });
      return waiters.length;
    },
    async close() {
      await engine.close();
      await place.close();
    },
  };
}

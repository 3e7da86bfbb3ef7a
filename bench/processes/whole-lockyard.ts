import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_POLICY, MAX_LOCKS_MAX, QUEUE_LIMIT_MAX } from '@/server/contract/namespace-policy';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import { countRefusal } from '@/server/operations/locks/for-services/count-refusal';
import { createNamespace } from '@/server/operations/namespaces/create-namespace';
import type { Runtime } from '@/server/operations/operation-context';
import type { QueueingBenchLock } from '../bench-lock';
import { openBenchRuntime } from '../http-servers';
import { lockyardLockOf } from '../lockyard-lock';

/** Where the bench keeps its locks. */
export const NAMESPACE = 'bench';

/** The limits are in force; the bench only raises them above their defaults. */
const POLICY = { ...DEFAULT_POLICY, queueLimit: QUEUE_LIMIT_MAX, maxLocks: MAX_LOCKS_MAX };

const CHECK_EVERY_MS = 10;

export interface WholePlace {
  /** The control database. Absent: SQLite in a folder that is removed at the end. */
  databaseUrl?: string;
  /** The URL of the backend that keeps the locks. Absent: the control database keeps them. */
  backendUrl?: string;
  /** Whether no other process of Lockyard runs on this place yet; true unless given. */
  isFirst?: boolean;
}

/** Lockyard as a server process runs it. */
export interface WholeLockyard extends QueueingBenchLock {
  /** The same locks, acquired and released with a request id for each call, as in every client. */
  withRequestIds: QueueingBenchLock;
  runtime: Runtime;
  /** An API key for the bench's namespace. */
  key: string;
  /** As `untilRecorded`. */
  recorded(): Promise<void>;
}

/**
 * Runs everything that a server process does except HTTP and pages: projection, event recorder,
 * roll-ups, counting of refusals, limits, maintenance. Resolves when it has read all records.
 */
export async function openWholeLockyard({
  databaseUrl,
  backendUrl,
  isFirst = true,
}: WholePlace): Promise<WholeLockyard> {
  const { runtime, close } = await openBenchRuntime(databaseUrl, backendUrl);
  const backend = backendUrl === undefined ? 'default' : 'bench';
  const cli = { runtime, actor: { kind: 'cli' }, address: 'local', requestId: 'bench' } as const;
  if ((await runtime.namespaces.get(NAMESPACE)) === null) {
    await createNamespace(cli, { name: NAMESPACE, backend, policy: POLICY });
  }
  await runtime.namespaces.refresh();
  const { key } = await createApiKey(cli, { name: 'caller', namespaces: [NAMESPACE] });
  const engine = runtime.engines.get(backend);
  if (!engine) throw new Error(`There is no backend "${backend}".`);
  const lockOf = (sendsRequestIds: boolean) =>
    lockyardLockOf(
      engine,
      { close },
      {
        name: sendsRequestIds ? 'Lockyard, with request ids' : 'Lockyard',
        namespace: NAMESPACE,
        sendsRequestIds,
        onAnswer: (of, id, caller, answer) => countRefusal(cli, of, id, caller, answer),
      },
    );
  await until(() => runtime.projection.isRead(backend));
  // Another process may be the one that records.
  if (isFirst) await until(() => runtime.historyLags().length > 0);
  const withRequestIds = lockOf(true);
  return {
    ...lockOf(false),
    withRequestIds,
    runtime,
    key,
    recorded: () => untilRecorded(runtime),
    close,
  };
}

/**
 * Resolves when the events and roll-ups of all answered calls are written, if this process is the
 * one that writes them.
 */
export function untilRecorded({ historyLags }: Pick<Runtime, 'historyLags'>): Promise<void> {
  const since = performance.now();
  return until(() => historyLags().every(({ lagMs }) => lagMs < performance.now() - since));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(CHECK_EVERY_MS);
}

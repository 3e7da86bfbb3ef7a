import { sinceEra } from '../../../core/fencing-token';
import { askControlDatabase } from '../../incarnation/incarnation-row';
import {
  longestLeaseFound,
  type Recovery,
  recoveredRecord,
} from '../../incarnation/recovered-record';
import type { StoreIncarnation } from '../../incarnation/store-incarnation';
import { type Cursor, StoreError } from '../../record-store';
import type { GuardedConnection } from '../client/guarded-connection';
import {
  ANY_VERSION,
  exists,
  getChildren,
  type Step,
  ZookeeperRefusal,
} from '../client/wire-calls';
import { HistoryChunks } from '../history-chunks';
import { RecordScan } from '../record-scan';
import { swapUnit } from '../swap-unit';
import { ZnodeCache } from '../znode-cache';
import type { ZookeeperLimits } from '../zookeeper-layout';
import { ZookeeperSwap } from '../zookeeper-swap';
import { readMarker } from './marker';

const RECORDS_AT_ONCE = 200;
const TRIES = 20;

/** The least time to fill a chunk of the history: limits how many there were before a full loss. */
const CHUNK_MS = 600_000;

/** An incarnation with this epoch is the first one. */
const FIRST_EPOCH = 1;

/** An incarnation that has started in the control database. */
interface NewIncarnation {
  incarnation: string;
  epoch: number;
  /** The first content of its mark. */
  data: string;
}

/**
 * Brings what a ZooKeeper still has into a new incarnation, and recreates the znodes that are
 * missing for it. All holds end, and their holders are informed; freezes and counters stay as they
 * are found. Several processes may do this at the same time, and it may be repeated after a crash
 * midway.
 */
export async function recoverZookeeper(
  connection: GuardedConnection,
  limits: ZookeeperLimits,
  store: StoreIncarnation,
  started: NewIncarnation,
): Promise<void> {
  const { incarnation, epoch } = started;
  const inRecovery = `${incarnation}~`;
  await startIncarnation(connection, started, inRecovery);
  const now = await connection.tick();
  const { grantsFrom } = await askControlDatabase('ZooKeeper', () =>
    store.startQuietPeriod(incarnation, now),
  );
  if ((await marksOf(connection)).includes(incarnation)) return;
  await connection.enter({ incarnation: inRecovery, epoch });
  await recoverRecords(connection, limits, store, { epoch, grantsFrom, now });
  await endRecovery(connection, started, inRecovery);
}

/**
 * From here on no process of an earlier incarnation can write: every write checks its mark. A
 * process that is late, because there is a mark of a higher epoch, changes nothing.
 */
async function startIncarnation(
  connection: GuardedConnection,
  { incarnation, epoch, data }: NewIncarnation,
  inRecovery: string,
) {
  const { layout } = connection;
  connection.leave();
  for (let tries = 0; tries < TRIES; tries += 1) {
    const now = await connection.tick();
    const marks = await marksOf(connection);
    if (marks.length === 1 && (marks[0] === incarnation || marks[0] === inRecovery)) return;
    const found = await Promise.all(marks.map((mark) => readMarker(connection, mark)));
    if (found.some((marker) => marker !== null && marker.epoch > epoch)) throw connection.changed();
    const steps: Step[] = [
      ...marks.map((mark): Step => ({ kind: 'delete', path: layout.marker(mark), version: -1 })),
      ...(await missingParents(connection)),
      { kind: 'create', path: layout.marker(inRecovery), data },
      ...(epoch === FIRST_EPOCH ? [] : await newChunk(connection, epoch, now)),
    ];
    if ((await connection.write(steps)).applied) return;
  }
  throw new StoreError('ZooKeeper kept changing during its recovery.', 'no');
}

async function marksOf(connection: GuardedConnection): Promise<string[]> {
  return (await connection.ask(getChildren(connection.layout.markers)))?.names ?? [];
}

async function missingParents(connection: GuardedConnection): Promise<Step[]> {
  const paths = connection.layout.parents();
  const stats = await Promise.all(paths.map((path) => connection.ask(exists(path))));
  return paths
    .filter((_, i) => stats[i] === null)
    .map((path): Step => ({ kind: 'create', path, data: '' }));
}

/** Continues the history above every number that exists or can have existed. */
async function newChunk(connection: GuardedConnection, epoch: number, now: number) {
  const { layout } = connection;
  const { generation } = layout;
  const [listed, stat] = await Promise.all([
    connection.ask(getChildren(layout.chunks)),
    connection.ask(exists(generation)),
  ]);
  const above = (listed?.names ?? []).map((name) => Number(name) + 1);
  const chunk = Math.max(Math.floor(sinceEra(now) / CHUNK_MS) + epoch, ...above);
  const data = String(chunk);
  return [
    { kind: 'create', path: layout.chunk(chunk), data: '' },
    stat === null
      ? { kind: 'create', path: generation, data }
      : { kind: 'set', path: generation, data, version: stat.version },
  ] satisfies Step[];
}

async function recoverRecords(
  connection: GuardedConnection,
  limits: ZookeeperLimits,
  store: StoreIncarnation,
  restoration: Omit<Recovery, 'longestLeaseMs'>,
): Promise<void> {
  const cache = new ZnodeCache();
  const chunks = new HistoryChunks(connection, limits.rowsPerChunk);
  const scan = new RecordScan(connection, cache);
  for (let cursor: Cursor | null = { namespace: null, after: null }; cursor; ) {
    const page: Awaited<ReturnType<RecordScan['page']>> = await scan.page(cursor, RECORDS_AT_ONCE);
    const found = page.records.flatMap(({ key, record }) => (record ? [{ key, record }] : []));
    const longestLeaseMs = await askControlDatabase('ZooKeeper', () =>
      store.recordFoundLease(longestLeaseFound(found)),
    );
    const changes = found.flatMap(({ key, record }) =>
      recoveredRecord(key, record, { ...restoration, longestLeaseMs }),
    );
    const swap = new ZookeeperSwap(connection, cache, chunks, limits);
    const swapped = await swap.run(changes.map((change) => swapUnit([change])));
    if (swapped.some(({ isTooLarge }) => isTooLarge)) {
      throw new StoreError('A record is too large to be brought into a new incarnation.', 'no');
    }
    cursor = page.next;
  }
}

async function endRecovery(
  connection: GuardedConnection,
  { incarnation, data }: NewIncarnation,
  inRecovery: string,
) {
  const { layout } = connection;
  connection.leave();
  const steps: Step[] = [
    { kind: 'delete', path: layout.marker(inRecovery), version: ANY_VERSION },
    { kind: 'create', path: layout.marker(incarnation), data },
  ];
  const answer = await connection.write(steps);
  if (answer.applied || (await marksOf(connection)).includes(incarnation)) return;
  throw new ZookeeperRefusal(answer.code);
}

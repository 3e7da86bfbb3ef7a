import { sinceEra } from '../../../core/fencing-token';
import { recoveredRecord } from '../../incarnation/recovered-record';
import type { IncarnationRow } from '../../incarnation/store-incarnation';
import { type Cursor, StoreError } from '../../record-store';
import type { GuardedConnection } from '../client/guarded-connection';
import {
  ANY_VERSION,
  exists,
  getChildren,
  type Step,
  ZookeeperRefusal,
} from '../client/wire-calls';
import type { ZookeeperLimits } from '../client/zookeeper-limits';
import { HistoryChunks } from '../history-chunks';
import { RecordScan } from '../record-scan';
import { swapUnit } from '../swap-unit';
import { ZnodeCache } from '../znode-cache';
import { ZookeeperSwap } from '../zookeeper-swap';

const RECORDS_AT_ONCE = 200;
const TRIES = 20;

/**
 * The shortest time in which a part of the history may be filled; how many parts there were is
 * unknown if everything is lost.
 */
const CHUNK_MS = 600_000;

/** An incarnation with this epoch is the first one. */
const FIRST_EPOCH = 1;

interface NewIncarnation {
  life: string;
  epoch: number;
  /** The first content of its mark. */
  data: Buffer;
}

/**
 * Brings what a ZooKeeper still has into a new incarnation, and recreates the znodes that are
 * missing for it. All holds end, and their holders learn it; freezes and counters stay as they are
 * found. Several processes may do this at once, and again after a crash midway.
 *
 * @param keepQuiet called with the leader's clock once no process can write in an earlier
 *   incarnation; returns the row that is then current
 */
export async function recoverZookeeper(
  line: GuardedConnection,
  limits: ZookeeperLimits,
  begun: NewIncarnation,
  keepQuiet: (now: number) => Promise<IncarnationRow>,
): Promise<void> {
  const { life, epoch } = begun;
  const mending = `${life}~`;
  await startIncarnation(line, begun, mending);
  const now = await line.tick();
  const { grantsFrom } = await keepQuiet(now);
  if ((await marksOf(line)).includes(life)) return;
  await line.enter({ life: mending, epoch });
  await recoverRecords(line, limits, { epoch, grantsFrom, now });
  await endRecovery(line, begun, mending);
}

/**
 * From here on no process admitted to an earlier incarnation can write: every write checks that its
 * mark exists.
 */
async function startIncarnation(
  line: GuardedConnection,
  { life, epoch, data }: NewIncarnation,
  mending: string,
) {
  const { layout } = line;
  line.leave();
  for (let tries = 0; tries < TRIES; tries += 1) {
    const now = await line.tick();
    const marks = await marksOf(line);
    if (marks.length === 1 && (marks[0] === life || marks[0] === mending)) return;
    const steps: Step[] = [
      ...marks.map((mark): Step => ({ kind: 'delete', path: layout.marker(mark), version: -1 })),
      ...(await missingParents(line)),
      { kind: 'create', path: layout.marker(mending), data },
      ...(epoch === FIRST_EPOCH ? [] : await newChunk(line, epoch, now)),
    ];
    if ((await line.write(steps)).took) return;
  }
  throw new StoreError('ZooKeeper changes while it is looked at.', 'no');
}

async function marksOf(line: GuardedConnection): Promise<string[]> {
  return (await line.ask(getChildren(line.layout.markers)))?.names ?? [];
}

async function missingParents(line: GuardedConnection): Promise<Step[]> {
  const paths = line.layout.parents();
  const stats = await Promise.all(paths.map((path) => line.ask(exists(path))));
  return paths
    .filter((_, i) => stats[i] === null)
    .map((path): Step => ({ kind: 'create', path, data: Buffer.alloc(0) }));
}

/** Continues the history above every number that exists or can have existed. */
async function newChunk(line: GuardedConnection, epoch: number, now: number) {
  const { layout } = line;
  const { generation } = layout;
  const [listed, stat] = await Promise.all([
    line.ask(getChildren(layout.chunks)),
    line.ask(exists(generation)),
  ]);
  const above = (listed?.names ?? []).map((name) => Number(name) + 1);
  const chunk = Math.max(Math.floor(sinceEra(now) / CHUNK_MS) + epoch, ...above);
  const data = Buffer.from(String(chunk));
  return [
    { kind: 'create', path: layout.chunk(chunk), data: Buffer.alloc(0) },
    stat === null
      ? { kind: 'create', path: generation, data }
      : { kind: 'set', path: generation, data, version: stat.version },
  ] satisfies Step[];
}

async function recoverRecords(
  line: GuardedConnection,
  limits: ZookeeperLimits,
  restoration: Parameters<typeof recoveredRecord>[2],
): Promise<void> {
  const { layout, monotonic } = line;
  const znodes = new ZnodeCache();
  const chunks = new HistoryChunks(line, layout, limits.rowsPerChunk);
  const means = {
    session: line,
    layout,
    znodes,
    chunks,
    limits,
    monotonic,
  };
  const walk = new RecordScan(line, layout, znodes);
  for (let cursor: Cursor | null = { namespace: null, after: null }; cursor; ) {
    const page: Awaited<ReturnType<RecordScan['page']>> = await walk.page(cursor, RECORDS_AT_ONCE);
    const changes = page.records.flatMap(({ key, record }) =>
      record ? recoveredRecord(key, record, restoration) : [],
    );
    const swapped = await new ZookeeperSwap(means).run(changes.map((change) => swapUnit([change])));
    if (swapped.some(({ isTooLarge }) => isTooLarge)) {
      throw new StoreError('A record is too large to be brought into a new life.', 'no');
    }
    cursor = page.next;
  }
}

async function endRecovery(
  line: GuardedConnection,
  { life, data }: NewIncarnation,
  mending: string,
) {
  const { layout } = line;
  line.leave();
  const steps: Step[] = [
    { kind: 'delete', path: layout.marker(mending), version: ANY_VERSION },
    { kind: 'create', path: layout.marker(life), data },
  ];
  const answer = await line.write(steps);
  if (answer.took || (await marksOf(line)).includes(life)) return;
  throw new ZookeeperRefusal(answer.code);
}

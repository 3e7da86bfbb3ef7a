import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { MysqlStore } from '@/server/storage/mysql/mysql-store';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { lockyardLockOver } from './lockyard-lock';
import { median } from './median';

const NAMES = 10_000;
const CALLERS = [1, 50, 500];

/** The forms of a store's swap, by name: for servers without `INSERT … RETURNING` and with it. */
const FORMS = { before: false, after: true };
type Form = keyof typeof FORMS;

/** What a server has counted since it started. Null for a log that it does not keep. */
interface Counted {
  statements: number;
  rowWrites: number;
  redoBytes: number | null;
  binaryLogBytes: number | null;
}

/** One round: the rate, and the cost of each cycle. */
interface Round {
  cyclesPerSecond: number;
  perCycle: Counted;
}

/**
 * What one cycle of acquire and release costs the server, in each form, for 1, 50 and 500 callers.
 * The forms are interleaved, after one warm-up round.
 *
 * @param server a URL without a database
 */
export async function measureCommitCost(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const counter = await mysql.createConnection(server);
  const locks = {
    before: await openLock(await freshDatabase(server, 'bench_before'), FORMS.before),
    after: await openLock(await freshDatabase(server, 'bench_after'), FORMS.after),
  };
  for (const callers of CALLERS) {
    const found: Record<Form, Round[]> = { before: [], after: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const form of Object.keys(FORMS) as Form[]) {
        const result = await measure(locks[form], counter, callers, roundMs);
        if (round > 0) found[form].push(result);
      }
    }
    report(callers, found);
  }
  for (const lock of Object.values(locks)) await lock.close();
  await counter.end();
}

async function openLock(url: string, usesReturning: boolean): Promise<BenchLock> {
  const database = await openDatabase({ kind: 'mysql', url });
  await migrate(database);
  return lockyardLockOver(new MysqlStore(url, { usesReturning }), database);
}

async function measure(
  lock: BenchLock,
  counter: Connection,
  callers: number,
  roundMs: number,
): Promise<Round> {
  const before = await countedBy(counter);
  const startedAt = performance.now();
  const cyclesPerSecond = await closedLoop(
    lock,
    {
      callers,
      nextLock: () => `lock-${Math.floor(Math.random() * NAMES)}`,
      counts: 'cycles',
    },
    roundMs,
  );
  const cycles = (cyclesPerSecond * (performance.now() - startedAt)) / 1_000;
  const after = await countedBy(counter);
  const each = (now: number | null, then: number | null) =>
    now === null || then === null ? null : (now - then) / cycles;
  return {
    cyclesPerSecond,
    perCycle: {
      statements: (after.statements - before.statements) / cycles,
      rowWrites: (after.rowWrites - before.rowWrites) / cycles,
      redoBytes: each(after.redoBytes, before.redoBytes),
      binaryLogBytes: each(after.binaryLogBytes, before.binaryLogBytes),
    },
  };
}

/** An insert that finds its row already present counts twice: as a write and as an update. */
const ROWS = ['Handler_write', 'Handler_update', 'Handler_delete'];
const REDO = 'Innodb_os_log_written';

/** The error number of a server without a binary log. */
const NO_BINARY_LOG = 1381;

async function countedBy(connection: Connection): Promise<Counted> {
  const [status] = await connection.query<RowDataPacket[]>(
    'SHOW GLOBAL STATUS WHERE Variable_name IN (?)',
    [['Questions', REDO, ...ROWS]],
  );
  const values = new Map(status.map((row) => [row.Variable_name, Number(row.Value)]));
  return {
    statements: values.get('Questions') ?? Number.NaN,
    rowWrites: ROWS.reduce((sum, name) => sum + (values.get(name) ?? Number.NaN), 0),
    redoBytes: values.get(REDO) ?? null,
    binaryLogBytes: await binaryLogBytes(connection),
  };
}

async function binaryLogBytes(connection: Connection): Promise<number | null> {
  try {
    const [files] = await connection.query<RowDataPacket[]>('SHOW BINARY LOGS');
    return files.reduce((sum, { File_size: bytes }) => sum + Number(bytes), 0);
  } catch (error) {
    if ((error as { errno?: number }).errno === NO_BINARY_LOG) return null;
    throw error;
  }
}

function report(callers: number, found: Record<Form, Round[]>): void {
  const caller = callers === 1 ? '1 caller' : `${callers} callers`;
  console.log(`MariaDB: what a cycle costs, random of 10,000 names, ${caller}; before, after`);
  const line = (name: string, unit: string, figureOf: (round: Round) => number | null) => {
    const [before = [], after = []] = [found.before, found.after].map((rounds) =>
      rounds.map(figureOf).filter((value) => value !== null),
    );
    if (before.length === 0) return console.log(`  no ${name}`);
    const [was, is] = [median(before), median(after)];
    const text = (value: number) =>
      value.toLocaleString('en', { maximumFractionDigits: was < 100 ? 2 : 0 });
    const ratio = median(after.map((value, i) => value / (before[i] ?? Number.NaN)));
    console.log(`  ${name}${unit}: ${text(was)}, ${text(is)}; ratio ${ratio.toFixed(2)}`);
  };
  line('cycles', ' a second', (round) => round.cyclesPerSecond);
  line('statements', '', (round) => round.perCycle.statements);
  line('row writes', '', (round) => round.perCycle.rowWrites);
  line('redo log', ', bytes', (round) => round.perCycle.redoBytes);
  line('binary log', ', bytes', (round) => round.perCycle.binaryLogBytes);
}

import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { labTable } from '@/scripts/lab/lab-table';
import { LAB_DEFAULTS, type LabRow } from '@/server/contract/console/lab/lab-race';
import { LabRunner, type LabRunnerParts } from '@/server/lab/lab-runner';
import { systemClock } from '@/server/platform/clock';
import { createLog } from '@/server/platform/log';
import { freshDatabase } from '../fresh-database';
import { type CatalogueLock, catalogueLocks } from './catalogue-locks';

const WORKERS = 50;
const EACH = 100;

interface Measured {
  name: string;
  /** On an empty table, then with its rows present. */
  seconds: number[];
  deadlocks: number[];
}

/**
 * The bench of the catalogue: every worker acquires and releases its own locks, first on an empty
 * table, then again with their rows present. The write-ups report 8 s for strategy 7 and 5 s for 8.
 *
 * @param server a URL without a database
 */
export async function benchAcquisitions(server: string): Promise<void> {
  const measured: Measured[] = [];
  for (const [i, open] of catalogueLocks.entries()) {
    const lock = await open(await freshDatabase(server, `bench_catalogue_${i}`), WORKERS);
    const row: Measured = { name: lock.name, seconds: [], deadlocks: [] };
    for (let pass = 0; pass < 2; pass += 1) {
      const { seconds, deadlocks } = await acquireAll(lock);
      row.seconds.push(seconds);
      row.deadlocks.push(deadlocks);
    }
    measured.push(row);
    await lock.close();
  }
  const ours = measured.at(-1)?.seconds ?? [];
  const cell = ({ seconds, deadlocks }: Measured, pass: number) => {
    const ratio = (seconds[pass] ?? 0) / (ours[pass] ?? Number.NaN);
    const met = deadlocks[pass] ? `, ${deadlocks[pass]} deadlocks` : '';
    return `${(seconds[pass] ?? 0).toFixed(1)} s, ratio ${ratio.toFixed(1)}${met}`.padEnd(38);
  };
  console.log(`Catalogue: ${WORKERS} workers × ${EACH} acquisitions and releases, one run of each`);
  console.log(`  ${''.padEnd(34)}${'empty table'.padEnd(38)}rows present`);
  for (const row of measured) {
    console.log(`  ${row.name.padEnd(34)}${cell(row, 0)}${cell(row, 1)}`.trimEnd());
  }
}

/** The stock bench: every entry of the catalogue, the three wrong ways first, as one table. */
export async function benchStock(servers: LabRunnerParts['servers']): Promise<void> {
  const runner = new LabRunner({
    servers,
    backends: [],
    onBackends: true,
    processPath: fileURLToPath(new URL('./lab-process.mjs', import.meta.url)),
    folder: tmpdir(),
    log: createLog(),
    clock: systemClock,
  });
  const { entries } = await runner.preflight();
  const strategies = entries.filter(({ lacks }) => lacks === null).map(({ id }) => id);
  const rows: LabRow[] = [];
  const failure = await new Promise<string | undefined>((resolve) => {
    const runId = randomBytes(6).toString('hex');
    runner.start({ ...LAB_DEFAULTS, strategies, runId }, (message) => {
      if (message.kind === 'entry-finished') rows.push(message.row);
      if (message.kind === 'finished') resolve(message.message);
    });
  });
  const { workers, stock, thinkMs } = LAB_DEFAULTS;
  console.log(`Stock: ${workers} workers, ${stock} units, ${thinkMs} ms to think`);
  console.log(labTable(rows));
  if (failure) console.log(`  ${failure}`);
  const ours = rows.find(({ id }) => id === 'service-lock');
  if (!ours) return;
  console.log('  ratio of orders per second to the lock of Lockyard:');
  for (const { title, opsPerSecond, oversold } of rows) {
    const wrong = oversold > 0 ? `, ${oversold} oversold` : '';
    console.log(`  ${title.padEnd(38)}${(opsPerSecond / ours.opsPerSecond).toFixed(2)}${wrong}`);
  }
}

async function acquireAll(lock: CatalogueLock): Promise<{ seconds: number; deadlocks: number }> {
  const startedAt = performance.now();
  const worker = async (_: unknown, i: number) => {
    let deadlocks = 0;
    for (let j = 0; j < EACH; j += 1) {
      deadlocks += await lock.cycle(`order-${i}-${j}`, `worker-${i}`);
    }
    return deadlocks;
  };
  const met = await Promise.all(Array.from({ length: WORKERS }, worker));
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, deadlocks: met.reduce((sum, each) => sum + each, 0) };
}

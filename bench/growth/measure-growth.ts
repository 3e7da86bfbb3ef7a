import { freshDatabase } from '../fresh-database';
import { type LockProcesses, startLockProcesses } from '../processes/lock-processes';
import { lineCharts } from '../report/line-charts';
import { figure, markdownTable } from '../report/markdown-table';
import type { PerformancePage } from '../report/performance-page';
import { filledDatabase } from './filled-database';
import { type GrowthPoint, measureSizesInTurns, type Size } from './growth-points';
import { openServerCpu } from './server-cpu';

const CALLERS = [1, 10, 50, 200, 500];
const NAMES = [1_000, 10_000, 100_000, 1_000_000];
/** Short queues are served several times in one turn. */
const QUEUES = [
  { waiters: 1, queues: 50 },
  { waiters: 10, queues: 20 },
  { waiters: 100, queues: 5 },
  { waiters: 1_000, queues: 1 },
  { waiters: 2_000, queues: 1 },
];
const PROCESSES = [1, 2, 3];

const USUAL_NAMES = 10_000;
const USUAL_CALLERS = 50;

interface Times {
  rounds: number;
  roundMs: number;
}

/** What each size is a number of, and what is counted. */
interface Growth {
  by: string;
  title: string;
  counts: 'cycles' | 'hand-offs';
  points: GrowthPoint[];
}

/**
 * Measures how Lockyard's rate and cost on MariaDB change with the numbers of callers, names,
 * waiters and processes. Each Lockyard is a separate process that runs all that a server runs.
 *
 * @param server a URL without a database
 * @param page the page that shows the tables and pictures; null: they are only printed
 */
export async function measureGrowth(
  server: string,
  times: Times,
  page: PerformancePage | null,
): Promise<void> {
  const serverCpuMs = await openServerCpu(server);
  const measure = (sizes: Size[]) => measureSizesInTurns(sizes, times.rounds, serverCpuMs);
  const growths: Growth[] = [];
  const add = (growth: Growth) => {
    say(growth);
    growths.push(growth);
  };

  const filled = await openFilled(server);
  const usual = filled.get(USUAL_NAMES) as LockProcesses;
  add({
    by: 'callers',
    title: 'callers, on 10,000 names',
    counts: 'cycles',
    points: await measure(byCallers(usual, times)),
  });
  add({
    by: 'names',
    title: 'names, by 50 callers',
    counts: 'cycles',
    points: await measure(byNames(filled, times)),
  });
  add({
    by: 'queue',
    title: 'waiters of one lock',
    counts: 'hand-offs',
    points: await measure(byWaiters(usual)),
  });
  for (const processes of filled.values()) await processes.close();

  const several = await openSeveral(server);
  add({
    by: 'processes',
    title: 'processes, with 50 callers together',
    counts: 'cycles',
    points: await measure(byProcesses(several, times)),
  });
  for (const processes of several.values()) await processes.close();

  for (const growth of growths) await page?.draw(growth.by, pictureOf(growth));
  await page?.write('growth', times, growths.flatMap(sectionOf));
}

/** A process for each number of names, on a database with as many records. */
async function openFilled(server: string): Promise<Map<number, LockProcesses>> {
  const filled = new Map<number, LockProcesses>();
  for (const names of NAMES) {
    filled.set(names, await startLockProcesses(await filledDatabase(server, names), 1));
  }
  return filled;
}

async function openSeveral(server: string): Promise<Map<number, LockProcesses>> {
  const several = new Map<number, LockProcesses>();
  for (const count of PROCESSES) {
    const url = await freshDatabase(server, `bench_by_${count}`);
    several.set(count, await startLockProcesses(url, count));
  }
  return several;
}

const byCallers = (processes: LockProcesses, { roundMs }: Times): Size[] =>
  CALLERS.map((size) => ({
    size,
    run: () => processes.cycles({ callers: [size], names: USUAL_NAMES, forMs: roundMs }),
  }));

const byNames = (filled: Map<number, LockProcesses>, { roundMs }: Times): Size[] =>
  [...filled].map(([size, processes]) => ({
    size,
    run: () => processes.cycles({ callers: [USUAL_CALLERS], names: size, forMs: roundMs }),
  }));

const byWaiters = (processes: LockProcesses): Size[] =>
  QUEUES.map((order) => ({ size: order.waiters, run: () => processes.handOffs(order) }));

const byProcesses = (several: Map<number, LockProcesses>, { roundMs }: Times): Size[] =>
  [...several].map(([size, processes]) => ({
    size,
    run: () =>
      processes.cycles({
        callers: shares(USUAL_CALLERS, size),
        names: USUAL_NAMES,
        forMs: roundMs,
      }),
  }));

/** Splits a number into whole parts that differ by at most 1. */
function shares(whole: number, parts: number): number[] {
  return Array.from(
    { length: parts },
    (_, i) => Math.floor((whole * (i + 1)) / parts) - Math.floor((whole * i) / parts),
  );
}

function say({ title, counts, points }: Growth): void {
  console.log(`MariaDB: Lockyard by ${title}`);
  for (const { size, perSecond, lockyardMicros, databaseMicros } of points) {
    console.log(
      `  ${size.toLocaleString('en')}: ${figure(perSecond)} ${counts}/s; CPU of each: ` +
        `${figure(lockyardMicros)} µs in Lockyard, ${figure(databaseMicros)} µs in the database`,
    );
  }
}

const ofOne = ({ counts }: Growth) => counts.slice(0, -1);

function pictureOf(growth: Growth): string {
  const { title, counts, points } = growth;
  const values = (of: keyof GrowthPoint) => points.map((point) => point[of]);
  return lineCharts(
    title,
    points.map(({ size }) => size.toLocaleString('en')),
    [
      {
        title: `${counts} per second`,
        series: [{ name: 'Lockyard', values: values('perSecond') }],
      },
      {
        title: `CPU of one ${ofOne(growth)}, µs`,
        series: [
          { name: 'Lockyard', values: values('lockyardMicros') },
          { name: 'MariaDB', values: values('databaseMicros') },
        ],
      },
    ],
  );
}

function sectionOf(growth: Growth): string[] {
  const { by, title, counts, points } = growth;
  const caption = `${counts} per second and CPU of one ${ofOne(growth)}, by ${title}`;
  return [
    `### By ${by}`,
    '',
    `![${caption}](images/performance-${by}.svg)`,
    '',
    ...markdownTable(
      [title, `${counts}/s`, 'CPU of Lockyard, µs', 'CPU of MariaDB, µs'],
      points.map(({ size, perSecond, lockyardMicros, databaseMicros }) => [
        size.toLocaleString('en'),
        ...[perSecond, lockyardMicros, databaseMicros].map(figure),
      ]),
    ),
    '',
  ];
}

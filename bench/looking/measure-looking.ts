import { median } from '../median';
import type { LookingCase } from './looking-case';
import { type ProcessUsage, type ServerUnderLoad, startServerUnderLoad } from './server-under-load';
import { type SteadyCallers, type SteadyFigures, startSteadyCallers } from './steady-callers';

/** The limits: no lease is lost, and acquires take no longer than this during the load. */
const P99_MAX_MS = 250;
const RATIO_MAX = 3;
/** A quiet figure below a third of this says more about the machine than about the load. */
const P99_FREE_MS = 30;
/** The pause after a load, in which its remains, such as open connections, are cleaned up. */
const SETTLE_MS = 2_000;
const MEBIBYTE = 1024 * 1024;

interface Run {
  before: SteadyFigures;
  beside: SteadyFigures;
  after: SteadyFigures;
  usage: ProcessUsage[];
  cpuShare: number;
}

/**
 * Measures each case on a separate server, `rounds` times quiet, case, quiet. Prints a line for
 * every round and the verdict on the medians.
 */
export async function measureLooking(
  cases: LookingCase[],
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  for (const each of cases) {
    console.log(each.name);
    const server = await startServerUnderLoad();
    const callers = startSteadyCallers();
    try {
      await each.prepare?.(server);
      const runs: Run[] = [];
      await callers.run({ ...server, forMs: Math.min(roundMs, 3_000) });
      for (let round = 0; round < rounds; round += 1) {
        runs.push(await measure(each, server, callers, roundMs));
      }
      sayVerdict(runs);
    } finally {
      callers.stop();
      await server.close();
    }
  }
}

async function measure(
  { load }: LookingCase,
  server: ServerUnderLoad,
  callers: SteadyCallers,
  forMs: number,
): Promise<Run> {
  const { port, apiKey } = server;
  const order = { port, apiKey, forMs };
  const before = await callers.run(order);
  const [begun] = await server.usage();
  const startedAt = performance.now();
  const stop = await load(server);
  const beside = await callers.run(order);
  const usage = await server.usage();
  const cpuMs = (usage[0]?.cpuMs ?? 0) - (begun?.cpuMs ?? 0);
  const cpuShare = cpuMs / (performance.now() - startedAt);
  const seen = await stop();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const after = await callers.run(order);
  console.log(
    `  ${inWords(beside)}; quiet p99 ${inMs(before.p99Ms)} before, ${inMs(after.p99Ms)} after;` +
      ` ${memoryInWords(usage)}; lock process ${Math.round(cpuShare * 100)} % of a core` +
      `${seen ? `; ${seen}` : ''}`,
  );
  return { before, beside, after, usage, cpuShare };
}

function sayVerdict(runs: Run[]): void {
  const of = (figure: (run: Run) => number) => median(runs.map(figure));
  const lost = runs.reduce((sum, { beside }) => sum + beside.leasesLost, 0);
  const p99Ms = of(({ beside }) => beside.p99Ms);
  const quietMs = of(({ before, after }) => (before.p99Ms + after.p99Ms) / 2);
  const maxMs = Math.min(P99_MAX_MS, Math.max(RATIO_MAX * quietMs, P99_FREE_MS));
  const verdict = lost === 0 && p99Ms <= maxMs ? 'holds' : 'FAILS';
  console.log(
    `  ${verdict}: ${lost} leases lost (0), p99 ${inMs(p99Ms)} (at most ${inMs(maxMs)}),` +
      ` ${(p99Ms / quietMs).toFixed(1)} times the quiet ${inMs(quietMs)}`,
  );
}

function inWords({ leasesLost, acquires, p99Ms, refusals }: SteadyFigures): string {
  const refused = Object.keys(refusals).length > 0 ? `, refused ${JSON.stringify(refusals)}` : '';
  return `${leasesLost} leases lost, p99 ${inMs(p99Ms)} of ${acquires} acquires${refused}`;
}

function memoryInWords([lock, ...others]: ProcessUsage[]): string {
  const inMib = ({ rssBytes }: ProcessUsage) => `${Math.round(rssBytes / MEBIBYTE)} MiB`;
  const beside = others.length > 0 ? `, its children ${others.map(inMib).join(', ')}` : '';
  return `RSS ${lock ? inMib(lock) : 'unknown'}${beside}`;
}

const inMs = (ms: number) => `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;

import { type LoadFigures, startHttpLoader } from '../http-loader';
import { median } from '../median';
import { startServerUnderLoad } from './server-under-load';

/**
 * The limits: how much of their usual throughput the few must keep during the flood of the many,
 * and how long their calls may take.
 */
const RATIO_MIN = 0.5;
const P99_MAX_MS = 250;

const FEW = 8;
const MANY = 256;
/** Short, so that most requests find their lock free. */
const LEASE_MS = 500;

/** How the many send: as fast as they are answered, and without waiting for answers. */
const FLOODS = [
  { words: 'each as fast as it is answered', depth: 1 },
  { words: 'each 20 requests ahead of its answers', depth: 20 },
];

/** The words on the command line that select this measurement. */
export const FAIR_SHARE = 'fair share between keys';

/**
 * Measures how much throughput the callers of one API key keep while another key floods the server.
 * Uses a separate server, `rounds` times quiet, flood, quiet. Prints a line for every round and the
 * verdict on the medians.
 */
export async function measureFairShare({
  rounds,
  roundMs,
}: {
  rounds: number;
  roundMs: number;
}): Promise<void> {
  console.log(`${FAIR_SHARE}; the limit on calls a second is lifted`);
  const server = await startServerUnderLoad({ LOCKYARD_CALLS_PER_SECOND: '1000000000' });
  const few = startHttpLoader();
  const many = startHttpLoader();
  try {
    const input = { name: 'flood', namespaces: ['default'] };
    const { key } = (await server.callConsole('keys.create', input)) as { key: string };
    const common = { port: server.port, path: '/api/v1/lock.acquire', leaseMs: LEASE_MS };
    const ofFew = { ...common, key: server.apiKey, connections: FEW, forMs: roundMs };
    await few.drive(ofFew);
    for (const { words, depth } of FLOODS) {
      const flood = { ...common, key, connections: MANY, depth, forMs: roundMs };
      const ratios: number[] = [];
      const p99s: number[] = [];
      console.log(`  ${FEW} callers of one key beside ${MANY} connections of another, ${words}`);
      for (let round = 0; round < rounds; round += 1) {
        const before = await few.drive(ofFew);
        const [beside, flooded] = await Promise.all([few.drive(ofFew), many.drive(flood)]);
        const after = await few.drive(ofFew);
        const ratio = beside.perSecond / ((before.perSecond + after.perSecond) / 2);
        ratios.push(ratio);
        p99s.push(beside.p99Ms);
        console.log(
          `    ${inWords(beside)}, which is ${ratio.toFixed(2)} of the quiet ` +
            `${inWords(before)} before and ${inWords(after)} after; the flood ${inWords(flooded)}`,
        );
      }
      sayVerdict(median(ratios), median(p99s));
    }
  } finally {
    few.stop();
    many.stop();
    await server.close();
  }
}

const inWords = ({ perSecond, p99Ms }: LoadFigures) =>
  `${Math.round(perSecond)}/s (p99 ${p99Ms.toFixed(1)} ms)`;

function sayVerdict(ratio: number, p99Ms: number): void {
  const verdict = ratio >= RATIO_MIN && p99Ms <= P99_MAX_MS ? 'holds' : 'FAILS';
  console.log(
    `    ${verdict}: ${ratio.toFixed(2)} of the quiet throughput (at least ${RATIO_MIN}), ` +
      `p99 ${p99Ms.toFixed(1)} ms (at most ${P99_MAX_MS} ms)`,
  );
}

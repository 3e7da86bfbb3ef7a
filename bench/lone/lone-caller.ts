import { median } from '../median';
import type { WholeLockyard } from '../processes/whole-lockyard';
import type { HttpCaller } from './http-caller';

/** The number of locks: so few that each has its record after the warm-up round. */
export const NAMES = Array.from({ length: 100 }, (_, i) => `lock-${i}`);
const OWNER = 'alone';

/** The steps of a lone caller, in this order. */
const STEPS = [
  'write',
  'acquire',
  'release',
  'acquire with an id',
  'release with an id',
  'acquire over HTTP',
  'release over HTTP',
] as const;
type Step = (typeof STEPS)[number];

/** The most by which a call over HTTP may take longer than the same call in process. */
const HTTP_MORE_MS = 1;

export interface LoneContest {
  /** The name of the store. */
  store: string;
  lockyard: WholeLockyard;
  http: HttpCaller;
  /** The minimum work of any lock on this store: one write as safe as a grant. */
  write: { name: string; run(name: string): Promise<unknown> };
  /** How many times as long as that write an acquire, or a release, may take. */
  timesAtMost: number;
}

/** The medians of a contest, in milliseconds. */
export type LoneTimes = Record<Step, number>;

/**
 * One caller makes one operation at a time, on locks that no other caller wants. The steps
 * alternate, so all of them run under the same conditions. The medians of single operations are
 * compared: each acquire and each release with one write.
 */
export async function raceLoneCaller(
  { store, lockyard, http, write, timesAtMost }: LoneContest,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<LoneTimes> {
  const medians = emptyLists();
  for (let round = 0; round <= rounds; round += 1) {
    const tookMs = await takeTurns({ lockyard, http, write }, roundMs);
    await lockyard.recorded();
    if (round > 0) for (const step of STEPS) medians[step].push(median(tookMs[step]));
  }
  const times = Object.fromEntries(STEPS.map((step) => [step, median(medians[step])])) as LoneTimes;
  const ratio = (step: Step) =>
    median(medians[step].map((ms, round) => ms / (medians.write[round] ?? Number.NaN)));
  const moreMs = (step: Step, than: Step) =>
    median(medians[step].map((ms, round) => ms - (medians[than][round] ?? Number.NaN)));
  console.log(`${store}: a lone caller, p50 of each operation`);
  console.log(`  ${write.name}: ${ms(times.write)}`);
  for (const step of ['acquire', 'release'] as const) {
    const over = moreMs(`${step} over HTTP`, step);
    console.log(
      `  ${step}: ${ms(times[step])}, ratio to ${write.name}: ${ratio(step).toFixed(2)} ` +
        `(at most ${timesAtMost})`,
    );
    const withId = `${step} with an id` as const;
    console.log(
      `  ${withId}: ${ms(times[withId])}, ratio to ${write.name}: ${ratio(withId).toFixed(2)}`,
    );
    console.log(
      `  ${step} over HTTP: ${ms(times[`${step} over HTTP`])}, ${ms(over)} more ` +
        `(at most ${HTTP_MORE_MS} ms)`,
    );
  }
  return times;
}

const emptyLists = (): Record<Step, number[]> => ({
  write: [],
  acquire: [],
  release: [],
  'acquire with an id': [],
  'release with an id': [],
  'acquire over HTTP': [],
  'release over HTTP': [],
});

const ms = (value: number) => `${value.toFixed(3)} ms`;

async function takeTurns(
  { lockyard, http, write }: Pick<LoneContest, 'lockyard' | 'http' | 'write'>,
  forMs: number,
): Promise<Record<Step, number[]>> {
  const tookMs = emptyLists();
  const timed = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const answer = await work();
    tookMs[step].push(performance.now() - startedAt);
    return answer;
  };
  const startedAt = performance.now();
  for (let i = 0; performance.now() - startedAt < forMs; i += 1) {
    const name = NAMES[i % NAMES.length] ?? '';
    await timed('write', () => write.run(name));
    const grant = await timed('acquire', () => lockyard.tryAcquire(name, OWNER));
    if (grant === null) throw new Error(`${name} was held, though no other caller uses it.`);
    await timed('release', () => lockyard.release(name, OWNER, grant));
    const { withRequestIds } = lockyard;
    const again = await timed('acquire with an id', () => withRequestIds.tryAcquire(name, OWNER));
    if (again === null) throw new Error(`${name} was held, though no other caller uses it.`);
    await timed('release with an id', () => withRequestIds.release(name, OWNER, again));
    const token = await timed('acquire over HTTP', () => http.acquire(name, OWNER));
    await timed('release over HTTP', () => http.release(name, OWNER, token));
  }
  return tookMs;
}

import type { LockyardError } from '../../contract/errors';
import type { RecordKey } from '../../storage/record-store';
import { type EngineOwner, type Member, pause } from './engine-rig';
import { PASS, touching } from './faulty-store';

/** Why a call was refused; its answer if it was not. */
export const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (error: LockyardError) => error.reason,
  );

/** The answer of a call, and how long it took. */
export async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const startedAt = performance.now();
  return { answer: await work, ms: performance.now() - startedAt };
}

/** Counts the store calls of a process about a record from now on. */
export function callsAbout(key: RecordKey, { faults }: Member): { reads: number; swaps: number } {
  const calls = { reads: 0, swaps: 0 };
  faults.onRead = (keys) => {
    calls.reads += keys.some((one) => one.name === key.name) ? 1 : 0;
    return PASS;
  };
  faults.onSwap = (changes) => {
    calls.swaps += touching(key)(changes) ? 1 : 0;
    return PASS;
  };
  return calls;
}

/** Resolves once a lock has exactly this many waiters, as this process reads it. */
export async function untilQueued(
  { engine }: EngineOwner,
  key: RecordKey,
  count: number,
): Promise<void> {
  while ((await engine.run(key, { verb: 'inspect' })).waiters.length !== count) await pause(10);
}

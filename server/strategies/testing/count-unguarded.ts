import { setImmediate } from 'node:timers/promises';

/**
 * Runs callers that each add 1 to one number in every turn: read, let others run, write. Only a
 * lock that excludes the others preserves every step.
 *
 * @returns the final number: callers × turns if no two turns overlapped
 */
export async function countUnguarded(
  { callers, turns }: { callers: number; turns: number },
  underLock: (turn: () => Promise<void>) => Promise<void>,
): Promise<number> {
  let number = 0;
  const turn = async () => {
    const seen = number;
    await setImmediate();
    number = seen + 1;
  };
  const caller = async () => {
    for (let i = 0; i < turns; i += 1) await underLock(turn);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return number;
}

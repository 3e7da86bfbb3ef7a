import type { Pulse } from '../membership';

/**
 * A process never heard of may have just begun, or be long dead: only a look at its sign of life
 * can tell.
 */
export async function meetStrangers(
  { pulse, process }: { pulse: Pulse; process: string },
  met: string[],
): Promise<void> {
  const isStrange = met.some((other) => other !== process && !pulse.knows(other));
  if (isStrange) await pulse.look().catch(() => undefined);
}

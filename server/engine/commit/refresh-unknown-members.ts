import type { Membership } from '../membership';

/**
 * A process never heard of may have just begun, or be long dead: only a look at its sign of life
 * can tell.
 */
export async function refreshUnknownMembers(
  { pulse: membership, process }: { pulse: Membership; process: string },
  met: string[],
): Promise<void> {
  const hasUnknown = met.some((other) => other !== process && !membership.knows(other));
  if (hasUnknown) await membership.refresh().catch(() => undefined);
}

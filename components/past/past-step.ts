import type { PastChangeInput } from '@/server/contract/console/past/past-inputs';
import { problemOf } from '../live/problem';

export type StepDirection = PastChangeInput['direction'];

const NOT_FOUND: Record<StepDirection, string> = {
  previous: 'No earlier change found nearby.',
  next: 'No later change found nearby.',
};

/** Where a step leads: an instant, or null with a note that says why it leads nowhere. */
export async function findStep(
  direction: StepDirection,
  ask: () => Promise<{ at: number | null }>,
): Promise<{ at: number | null; note: string }> {
  try {
    const { at } = await ask();
    return { at, note: at === null ? NOT_FOUND[direction] : '' };
  } catch (error) {
    const { text } = problemOf(error);
    return { at: null, note: `Could not find the ${direction} change. ${text}` };
  }
}

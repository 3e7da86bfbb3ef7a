import type { WaitBar } from '../../contract/console/past/lock-timeline';

/**
 * The sum of the ages of all recorded waits at an instant, in milliseconds.
 *
 * @param until the assumed end of a wait without one
 */
export function blockingAt(
  waits: readonly Pick<WaitBar, 'from' | 'to'>[],
  at: number,
  until: number,
): number {
  const open = waits.filter(({ from, to }) => from < at && (to ?? until) >= at);
  return open.reduce((sum, { from }) => sum + at - from, 0);
}

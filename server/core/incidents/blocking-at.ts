import type { WaitBar } from '../../contract/console/past/lock-timeline';

/**
 * The ages of all recorded waits at an instant, added up, in milliseconds.
 *
 * @param until to when a wait without an end lasts
 */
export function blockingAt(
  waits: readonly Pick<WaitBar, 'from' | 'to'>[],
  at: number,
  until: number,
): number {
  const open = waits.filter(({ from, to }) => from < at && (to ?? until) >= at);
  return open.reduce((sum, { from }) => sum + at - from, 0);
}

import { contended } from '../refusals';
import type { CommandGroup } from './batcher';

/**
 * Refuses commands whose budget ended while another transaction kept their row locked.
 *
 * @param now on the monotonic clock
 */
export function refuseHindered(groups: CommandGroup[], now: number): void {
  for (const { commands } of groups) {
    for (const pending of commands) {
      if (pending.isHinderedPast(now)) pending.refuse(contended());
    }
  }
}

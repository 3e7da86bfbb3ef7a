import { contended } from '../refusals';
import type { CommandGroup } from './batcher';

/**
 * Refuses commands that met a row which another transaction keeps locked, and whose time is over.
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

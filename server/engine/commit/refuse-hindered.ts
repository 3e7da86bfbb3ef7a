import { contended } from '../refusals';
import type { CommandGroup } from './batcher';

/**
 * Refuses commands that met a row which another transaction keeps locked, and whose time is over:
 * the answer to their next try might come too late to be known.
 *
 * @param now on the monotonic clock
 */
export function refuseHindered(groups: CommandGroup[], now: number): void {
  for (const { commands } of groups) {
    for (const pending of commands) {
      if (pending.isHindered && now >= pending.dueAt) pending.refuse(contended());
    }
  }
}

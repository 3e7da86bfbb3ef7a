import type { OpenWait } from '../../core/waits/wait-state';
import type { HolderProcess } from './holder-index';

/**
 * Whether a process is found by a text: part of its service, host, pid or version, or of one of its
 * owners, the ones that wait included.
 *
 * @param sought in lower case; empty finds all
 */
export function isFound(
  sought: string,
  holder: HolderProcess | undefined,
  waits: readonly OpenWait[],
): boolean {
  if (sought === '') return true;
  const has = (text: string | undefined) => text?.toLowerCase().includes(sought) === true;
  if (holder) {
    const { host, pid, version } = holder.meta;
    if ([holder.service, host, pid, version].some(has)) return true;
    for (const owner of holder.owners.keys()) if (has(owner)) return true;
  }
  return waits.some(({ party }) => has(party.owner) || has(party.service));
}

import type { OpenWait } from '../../core/waits/wait-state';
import type { HolderProcess } from './holder-index';

/**
 * Whether a search finds a process: its text is part of the process's service, an owner, host, pid
 * and version joined in this order, or of the service and owner of a caller that waits.
 *
 * @param sought in lower case; empty finds all
 */
export function isFound(
  sought: string,
  holder: HolderProcess | undefined,
  waits: readonly OpenWait[],
): boolean {
  if (sought === '') return true;
  const { host = '', pid = '', version = '' } = holder?.meta ?? {};
  const has = (service: string, owner: string) =>
    `${service} ${owner} ${host} ${pid} ${version}`.toLowerCase().includes(sought);
  if (holder) for (const owner of holder.owners.keys()) if (has(holder.service, owner)) return true;
  return waits.some(({ party: { service, owner } }) => has(service, owner));
}

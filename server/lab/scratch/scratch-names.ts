import { hostname } from 'node:os';

/*
 * Every name that a run makes on a server begins alike, so that what a dead run left can be found
 * and nothing else can be hit. Names of databases ignore case on some servers, so all are lower
 * case.
 */

/** Keys of all runs begin with it. */
export const REDIS_PREFIX = 'lockyard-lab:';

/** @param part such as `_shard0`; empty for the database of the stock */
export const databaseOf = (runId: string, part = '') =>
  `lockyard_lab_${runId.toLowerCase()}${part}`;
export const redisPrefixOf = (runId: string) => `${REDIS_PREFIX}${runId.toLowerCase()}:`;
export const folderNameOf = (runId: string) => `lockyard-lab-${runId.toLowerCase()}`;
export const znodeOf = (runId: string) => `/${folderNameOf(runId)}`;

/** The run that a database belongs to; null: none of the Lab's. */
export const runOfDatabase = (name: string): string | null =>
  /^lockyard_lab_([a-z0-9]{1,24})(_[a-z0-9]+)?$/.exec(name)?.[1] ?? null;

/** The run that a folder or a znode belongs to; null: none of the Lab's. */
export const runOfFolder = (name: string): string | null =>
  /^lockyard-lab-([a-z0-9]{1,24})$/.exec(name)?.[1] ?? null;

/** Names this process to the next run on this machine, which need not wait until it is silent. */
export const processMark = () => `${hostname()}/${process.pid}`;

/** Whether a mark is of a process of this machine that has ended. Of other machines: not known. */
export function hasEnded(mark: string): boolean {
  const [host, pid] = mark.split('/');
  if (host !== hostname() || !pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

import { hostname } from 'node:os';
import { errorCode } from '../../platform/files/error-code';

/*
 * All names that runs create on a server have one prefix, so that the data of a dead run can be
 * found and nothing else is removed. Database names ignore case on some servers, so all are in
 * lower case.
 */

/** The prefix of the keys of all runs. */
export const REDIS_PREFIX = 'lockyard-lab:';

/** @param part such as `_shard0`; empty for the database of the stock */
export const databaseOf = (runId: string, part = '') =>
  `lockyard_lab_${runId.toLowerCase()}${part}`;
export const redisPrefixOf = (runId: string) => `${REDIS_PREFIX}${runId.toLowerCase()}:`;
export const folderNameOf = (runId: string) => `lockyard-lab-${runId.toLowerCase()}`;
export const znodeOf = (runId: string) => `/${folderNameOf(runId)}`;

/** The run that a database belongs to; null: it is not the Lab's. */
export const runOfDatabase = (name: string): string | null =>
  /^lockyard_lab_([a-z0-9]{1,24})(_[a-z0-9]+)?$/.exec(name)?.[1] ?? null;

/** The run that a folder or a znode belongs to; null: it is not the Lab's. */
export const runOfFolder = (name: string): string | null =>
  /^lockyard-lab-([a-z0-9]{1,24})$/.exec(name)?.[1] ?? null;

/** Identifies this process, so that the next run on this machine can see whether it has ended. */
export const processMark = () => `${hostname()}/${process.pid}`;

/** Whether a mark names a process of this machine that has ended. False for other machines. */
export function hasEnded(mark: string): boolean {
  const [host, pid] = mark.split('/');
  if (host !== hostname() || !pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

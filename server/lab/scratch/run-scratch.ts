import type { Clock } from '../../platform/clock';
import type { LabOrder } from '../lab-order';
import { answerWithin } from '../race/within';
import { FolderScratch } from './folder-scratch';
import { MysqlScratch } from './mysql-scratch';
import { RedisScratch } from './redis-scratch';
import { ZookeeperScratch } from './zookeeper-scratch';

interface Scratch {
  remove(): Promise<void>;
}

/** How long a server may take to remove the data on it. */
const REMOVE_MS = 10_000;

const removeSoon = (part: Scratch) =>
  answerWithin(REMOVE_MS, part.remove(), 'Scratch data was not removed in time.');

/** Everything that one run creates, on all of its servers. */
export class RunScratch {
  private constructor(
    /** The folder for embedded SQLite. */
    readonly folder: string,
    private readonly parts: Scratch[],
  ) {}

  /** Removes the data of dead runs, and prepares for this one. Leaves nothing if it fails. */
  static async open(order: LabOrder, clock: Clock): Promise<RunScratch> {
    const { runId, servers } = order;
    const folder = await FolderScratch.open(order.folder, runId, clock);
    const scratch = new RunScratch(folder.path, [folder]);
    try {
      if (servers.mysql) scratch.parts.push(await MysqlScratch.open(servers.mysql, runId));
      for (const url of servers.redis ?? []) {
        scratch.parts.push(await RedisScratch.open(url, runId));
      }
      if (servers.zookeeper) {
        scratch.parts.push(await ZookeeperScratch.open(servers.zookeeper, runId));
      }
      return scratch;
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  /** @returns whether all data is gone; that on a dead server is left for the next run */
  async remove(): Promise<boolean> {
    const removed = await Promise.allSettled(this.parts.map(removeSoon));
    return removed.every(({ status }) => status === 'fulfilled');
  }
}

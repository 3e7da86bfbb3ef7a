import { type Client, CreateMode, Exception } from 'node-zookeeper-client';
import { childrenOf, connectZookeeper } from '../servers/zookeeper-server';
import { hasEnded, processMark, runOfFolder, znodeOf } from './scratch-names';

const ALIVE = 'alive';

/** The znodes of one run in ZooKeeper. An ephemeral znode marks the run as alive. */
export class ZookeeperScratch {
  private constructor(
    private readonly client: Client,
    private readonly root: string,
  ) {}

  /** Removes the znodes of dead runs, and creates this run's. */
  static async open(url: string, runId: string): Promise<ZookeeperScratch> {
    const client = await connectZookeeper(url);
    const scratch = new ZookeeperScratch(client, znodeOf(runId));
    try {
      await scratch.enter();
      for (const name of await childrenOf(client, '/')) {
        const path = `/${name}`;
        if (!runOfFolder(name) || path === scratch.root) continue;
        const mark = await dataOf(client, `${path}/${ALIVE}`);
        if (mark === null || hasEnded(mark)) await removeAll(client, path);
      }
      return scratch;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** Removes every znode of this run. */
  async remove(): Promise<void> {
    try {
      await removeAll(this.client, this.root);
    } finally {
      this.client.close();
    }
  }

  /** Creates the run's znode and its mark in one step: without its mark, a run counts as dead. */
  private enter(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.client
        .transaction()
        .create(this.root, Buffer.alloc(0), CreateMode.PERSISTENT)
        .create(`${this.root}/${ALIVE}`, Buffer.from(processMark()), CreateMode.EPHEMERAL)
        .commit((error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Null: there is no such znode. */
function dataOf(client: Client, path: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    client.getData(path, (error, data) => {
      if (!error) resolve(String(data ?? ''));
      else if (isAbsent(error)) resolve(null);
      else reject(error);
    });
  });
}

async function removeAll(client: Client, path: string): Promise<void> {
  const names = await childrenOf(client, path).catch(ifAbsent([]));
  for (const name of names) await removeAll(client, `${path}/${name}`);
  await new Promise<void>((resolve, reject) => {
    client.remove(path, (error) => (error && !isAbsent(error) ? reject(error) : resolve()));
  });
}

const isAbsent = (error: Error | Exception) =>
  error instanceof Exception && error.getCode() === Exception.NO_NODE;

const ifAbsent =
  <T>(otherwise: T) =>
  (error: Error | Exception): T => {
    if (isAbsent(error)) return otherwise;
    throw error;
  };

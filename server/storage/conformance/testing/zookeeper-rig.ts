import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import type { LockEngine } from '../../../engine/lock-engine';
import { newWriter } from '../../../engine/new-writer';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { GuardedConnection } from '../../zookeeper/client/guarded-connection';
import { getChildren, multi, OPEN_TO_ALL, type Step } from '../../zookeeper/client/wire-calls';
import { ZookeeperConnection } from '../../zookeeper/client/zookeeper-connection';
import { ZnodeCache } from '../../zookeeper/znode-cache';
import { ZookeeperLayout } from '../../zookeeper/zookeeper-layout';
import { ZookeeperStore } from '../../zookeeper/zookeeper-store';
import { engineOfIncarnation } from './engine-of-incarnation';
import type { Store } from './stores-under-test';

/** A server that has just started may take seconds for an answer on a busy machine. */
const PATIENT_MS = 10_000;

/** The parts of one process that serve locks on this ZooKeeper. */
export interface ZookeeperProcess {
  engine: LockEngine;
  store: Store;
  incarnation: StoreIncarnation;
  close(): Promise<void>;
}

/** A root on a ZooKeeper, a control database, and processes that share both. */
export class ZookeeperRig {
  private readonly processes: ZookeeperProcess[] = [];
  private elsewhere: Database | null = null;

  private constructor(
    readonly database: Database,
    private readonly url: string,
    private readonly root: string,
  ) {}

  /** @param server its URL without a path */
  static async start(server: string): Promise<ZookeeperRig> {
    const root = `/ly-${newWriter().replace(/[-_]/g, 'x')}`;
    return new ZookeeperRig(await openTestDatabase('sqlite'), server, root);
  }

  /** Starts a process of another installation, which has its own control database. */
  async joinFromElsewhere(): Promise<ZookeeperProcess> {
    this.elsewhere ??= await openTestDatabase('sqlite');
    return this.join(this.elsewhere);
  }

  /** What another process knows of this ZooKeeper. */
  incarnation(database = this.database): Promise<StoreIncarnation> {
    return StoreIncarnation.open(database, 'default', Date.now());
  }

  async join(database = this.database): Promise<ZookeeperProcess> {
    return this.joinAs(await this.incarnation(database));
  }

  /** Starts a process that knows this of this ZooKeeper. */
  async joinAs(incarnation: StoreIncarnation): Promise<ZookeeperProcess> {
    const { servers, credentials, tls, root } = this.place();
    const place = { servers: servers.map((server) => ({ ...server, credentials, tls })), root };
    const clock = () => performance.now();
    const store = await ZookeeperStore.open(place, incarnation, clock, undefined, PATIENT_MS);
    const engine = await engineOfIncarnation('zookeeper', store, incarnation);
    const process = {
      engine,
      store,
      incarnation,
      close: () => engine.close(),
    };
    this.processes.push(process);
    return process;
  }

  /** Opens a connection that is admitted to no incarnation. */
  async connect(): Promise<GuardedConnection> {
    const { servers, root } = this.place();
    const [{ host, port } = { host: '', port: 0 }] = servers;
    const clock = () => performance.now();
    const address = { host, port, credentials: null };
    const opened = await ZookeeperConnection.open(address, PATIENT_MS, clock, () => {});
    const layout = new ZookeeperLayout(root);
    return new GuardedConnection(opened, layout, OPEN_TO_ALL, clock, new ZnodeCache());
  }

  /**
   * Deletes a znode below the root (the root itself if none is named) and everything under it, as
   * `deleteall` does.
   */
  async deleteTree(below = ''): Promise<void> {
    const { servers } = this.place();
    const [{ host, port } = { host: '', port: 0 }] = servers;
    const clock = () => performance.now();
    const address = { host, port, credentials: null };
    const admin = await ZookeeperConnection.open(address, 10_000, clock, () => {});
    const paths = [this.root + below];
    for (let i = 0; i < paths.length; ) {
      const batch = paths.slice(i);
      i = paths.length;
      const lists = await Promise.all(batch.map((path) => admin.ask(getChildren(path))));
      for (const [j, list] of lists.entries()) {
        for (const name of list?.names ?? []) paths.push(`${batch[j]}/${name}`);
      }
    }
    const deletions = paths
      .reverse()
      .map((path): Step => ({ kind: 'delete', path, version: -1 }))
      .map((step) => admin.ask(multi([step], OPEN_TO_ALL)));
    await Promise.all(deletions);
    admin.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.close()));
    await this.deleteTree();
    await this.database.close();
    await this.elsewhere?.close();
  }

  private place() {
    const place = parseZookeeperUrl(`${this.url}${this.root}`);
    if (typeof place === 'string') throw new Error(place);
    return place;
  }
}

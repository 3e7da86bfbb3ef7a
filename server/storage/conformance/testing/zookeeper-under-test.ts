import { randomBytes } from 'node:crypto';
import { openTestDatabase } from '@/db/testing/test-database';
import { parseZookeeperUrl, type ZookeeperUrl } from '@/db/urls/zookeeper-url';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { recordId } from '../../record-id';
import { type RecordKey, StoreError } from '../../record-store';
import {
  getChildren,
  getData,
  multi,
  OPEN_TO_ALL,
  type Step,
} from '../../zookeeper/client/wire-calls';
import {
  type ServerAddress,
  ZookeeperConnection,
} from '../../zookeeper/client/zookeeper-connection';
import { ZookeeperLayout, type ZookeeperLimits } from '../../zookeeper/zookeeper-layout';
import { ZookeeperStore } from '../../zookeeper/zookeeper-store';
import { FrameProxy } from './frame-proxy';

const EXISTS = 3;
const GET_DATA = 4;
const MULTI = 14;

/** How to open it; by default without a user, on a root that does not exist. */
interface OpenOptions {
  /** `user:password`. */
  credentials?: string | null;
  /** The user of the scheme "digest" for whom another user creates the root beforehand. */
  rootFor?: string;
  /** The limits of its numbers and sizes. */
  limits?: ZookeeperLimits;
  /** How long an answer may take; by default as long as in production. */
  answerMaxMs?: number;
}

const OPEN_MAX_MS = 30_000;

/** Retries if a server on a busy machine answers too late: nothing is open yet. */
async function patiently<T>(open: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + OPEN_MAX_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isLate = error instanceof StoreError && /did not answer/.test(String(error.cause));
      if (!isLate || performance.now() >= giveUpAt) throw error;
    }
  }
}

/** Opens a store on a new root on the server of the tests, through a proxy that can delay it. */
export async function openZookeeperUnderTest(options: OpenOptions = {}) {
  const { credentials = null, rootFor, limits, answerMaxMs } = options;
  const { servers } = testZookeeperUrl();
  const [server = { host: '', port: 0 }] = servers;
  const root = `/ly-${randomBytes(6).toString('hex')}`;
  const proxy = await FrameProxy.start(server);
  const place = { servers: [{ host: '127.0.0.1', port: proxy.port, credentials }], root };
  const opened: ZookeeperStore[] = [];
  const database = await openTestDatabase('sqlite');
  const open = async () => {
    const incarnation = await StoreIncarnation.open(database, 'default', Date.now());
    const monotonic = () => performance.now();
    const store = await patiently(() =>
      ZookeeperStore.open(place, incarnation, monotonic, limits, answerMaxMs),
    );
    opened.push(store);
    return store;
  };
  const hold = (operation: number, key: RecordKey, below = '') => {
    const path = new ZookeeperLayout(root).record(recordId(key)) + below;
    return proxy.hold((packet) => packet.readInt32BE(8) === operation && packet.includes(path));
  };
  const changeByHand = async (step: Step) => {
    const connection = await connectTo({ ...server, credentials });
    await connection.ask(multi([step], OPEN_TO_ALL));
    connection.close();
  };
  if (rootFor) await makeRoot(server, root, rootFor);
  const store = await open();
  return {
    store,
    database,
    /** The znode that contains everything. */
    root,
    another: open,
    async stallRow(key: RecordKey) {
      const release = hold(MULTI, key);
      return async () => release();
    },
    /** Holds back every read of a record until the returned function is called. */
    stallReads: (key: RecordKey) => hold(GET_DATA, key),
    /** Holds back every read of a queue outside its record, likewise. */
    stallQueueReads: (key: RecordKey) => hold(GET_DATA, key, '/'),
    /** Holds back every proof that a read came from the same ZooKeeper, likewise. */
    stallProofs: () => proxy.hold((packet) => packet.readInt32BE(8) === EXISTS),
    /** How many packets are held back. */
    heldPackets: () => proxy.heldPackets,
    /** The path and size of a record's znode, and the names of its children. */
    async znodeOf(key: RecordKey) {
      const connection = await connectTo({ ...server, credentials });
      const path = new ZookeeperLayout(root).record(recordId(key));
      const [node, listed] = await Promise.all([
        connection.ask(getData(path)),
        connection.ask(getChildren(path)),
      ]);
      connection.close();
      return { path, bytes: node?.data.length ?? 0, queues: listed?.names ?? [] };
    },
    /** Removes a znode that has no children, as an operator might by hand. */
    remove: (path: string) => changeByHand({ kind: 'delete', path, version: -1 }),
    /** Overwrites a znode, likewise. */
    overwrite: (path: string, data: string) =>
      changeByHand({ kind: 'set', path, data, version: -1 }),
    openGap: noYoungGaps,
    stallAnswer: noYoungGaps,
    passMs(): never {
      throw new Error('The clock of a ZooKeeper cannot be moved.');
    },
    /** Breaks every connection. */
    cut: () => proxy.cut(),
    /** From now on every reply of ZooKeeper is lost, until the connections break. */
    loseReplies: () => proxy.loseReplies(),
    /** Holds back every request until the returned function is called. */
    holdAll: () => proxy.hold(() => true),
    async close() {
      await Promise.all(opened.map((one) => one.close()));
      await proxy.close();
      await database.close();
      await removeTree({ ...server, credentials }, root);
    },
  };
}

/**
 * The server that the tests may use. Fails if there is none: a contract that was not run proves
 * nothing.
 */
function testZookeeperUrl(): ZookeeperUrl {
  const text = process.env.TEST_ZOOKEEPER_URL;
  const url = parseZookeeperUrl(text ?? '');
  if (typeof url === 'string') {
    throw new Error('TEST_ZOOKEEPER_URL must name a ZooKeeper for the tests.');
  }
  return url;
}

function noYoungGaps(): never {
  throw new Error('The step that writes a history row also assigns its id.');
}

/** All permissions except the one to change the access list. */
const ALL_BUT_ADMIN = 15;

async function makeRoot(server: { host: string; port: number }, path: string, user: string) {
  const connection = await connectTo({ ...server, credentials: null });
  const acl = { permissions: ALL_BUT_ADMIN, scheme: 'digest', id: user };
  await connection.ask(multi([{ kind: 'create', path, data: '' }], acl));
  connection.close();
}

const connectTo = (server: ServerAddress) =>
  ZookeeperConnection.open(
    server,
    10_000,
    () => performance.now(),
    () => {},
  );

async function removeTree(server: ServerAddress, root: string): Promise<void> {
  const connection = await connectTo(server);
  const paths = [root];
  for (let i = 0; i < paths.length; ) {
    const batch = paths.slice(i, i + 1_000);
    const found = await Promise.all(batch.map((path) => connection.ask(getChildren(path))));
    for (const [j, list] of found.entries()) {
      for (const name of list?.names ?? []) paths.push(`${batch[j]}/${name}`);
    }
    i += batch.length;
  }
  paths.reverse();
  for (let i = 0; i < paths.length; i += 1_000) {
    const batch = paths.slice(i, i + 1_000);
    const steps = batch.map((path) => ({ kind: 'delete' as const, path, version: -1 }));
    await connection.ask(multi(steps, OPEN_TO_ALL));
  }
  connection.close();
}

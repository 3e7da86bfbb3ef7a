import { randomBytes } from 'node:crypto';
import { type Client, createClient, type Event, Exception } from 'node-zookeeper-client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { TcpProxy } from '@/test/tcp-proxy';
import { NotGranted } from '../not-granted';
import { countUnguarded } from '../testing/count-unguarded';
import { interpose } from '../testing/interpose';
import { openEnded } from '../testing/open-ended';
import { EphemeralSequentialLocks, withEphemeralSequentialLock } from './ephemeral-sequential-lock';
import { zookeeperCalls } from './zookeeper-calls';

let root: string;
let clients: Client[];

const address = () => {
  const url = process.env.TEST_ZOOKEEPER_URL;
  if (!url) throw new Error('TEST_ZOOKEEPER_URL must name a ZooKeeper for the tests.');
  return new URL(url.replace(/^zookeeper:/, 'http:')).host;
};

/** Longer than this machine may pause within a test. */
const SESSION_TIMEOUT_MS = 5_000;

async function connect(to = address(), options: object = {}): Promise<Client> {
  const client = createClient(to, options);
  clients.push(client);
  const connected = new Promise<void>((resolve) => client.once('connected', resolve));
  client.connect();
  await connected;
  return client;
}

/** A session of its own, as another process would have. */
const session = async () => new EphemeralSequentialLocks(await connect(), root);

beforeEach(() => {
  root = `/strategies-${randomBytes(6).toString('hex')}`;
  clients = [];
});
afterEach(async () => {
  const client = await connect();
  const calls = zookeeperCalls(client);
  const removeAll = async (path: string) => {
    const names = await calls.children(path).catch(() => []);
    await Promise.all(names.map((name) => removeAll(`${path}/${name}`)));
    await calls.remove(path).catch(() => undefined);
  };
  await removeAll(root);
  for (const each of clients) each.close();
});

const held = async (name: string) => {
  const client = await connect();
  return zookeeperCalls(client).children(`${root}/lock-${encodeURIComponent(name)}`);
};

test('18: excludes all others, of the same session and of another', async () => {
  const sessions = [await session(), await session()] as const;
  let turns = 0;
  const total = await countUnguarded({ callers: 8, turns: 5 }, (turn) => {
    turns += 1;
    const locks = sessions[turns % 2 === 0 ? 0 : 1];
    return withEphemeralSequentialLock(locks, 'a/b', turn);
  });
  expect(total).toBe(40);
  expect(await held('a/b')).toEqual([]);
});

test('18: the wait is bounded, and leaves no node behind', async () => {
  const locks = await session();
  const own = await locks.lock('bounded');
  await expect(locks.lock('bounded', { waitMs: 20 })).rejects.toThrow(NotGranted);
  expect(await locks.tryLock('bounded')).toBe(null);
  expect(await held('bounded')).toHaveLength(1);
  await locks.unlock(own);
  const again = await locks.tryLock('bounded');
  expect(again).not.toBe(null);
});

test('18: each waiter watches only its predecessor, and a release wakes one', async () => {
  const client = await connect();
  const watched: string[] = [];
  let woken = 0;
  const counting = interpose(client, {
    exists(path: string, watcher: (event: Event) => void, done: never) {
      watched.push(path);
      const counted = (event: Event) => {
        woken += 1;
        watcher(event);
      };
      client.exists(path, counted, done);
    },
    getChildren(path: string, ...rest: [never]) {
      expect(rest).toHaveLength(1); // No watch on the queue as a whole.
      client.getChildren(path, ...rest);
    },
  });
  const locks = new EphemeralSequentialLocks(counting, root);
  const holder = await locks.lock('herd');
  const waiters: Promise<string>[] = [];
  for (let i = 1; i <= 4; i += 1) {
    waiters.push(locks.lock('herd'));
    await expect.poll(() => watched).toHaveLength(i);
  }
  let own = holder;
  for (const [i, waiter] of waiters.entries()) {
    expect(watched[i]).toBe(own);
    await locks.unlock(own);
    own = await waiter;
    expect(woken).toBe(i + 1);
  }
  expect(watched).toHaveLength(4);
});

test('18: the end of a session frees its locks, and aborts their work', async () => {
  const server = new URL(`http://${address()}`);
  const proxy = await TcpProxy.start(server.hostname, Number(server.port));
  onTestFinished(() => proxy.close());
  const options = { sessionTimeout: SESSION_TIMEOUT_MS };
  const dying = await connect(`127.0.0.1:${proxy.port}`, options);
  const living = await session();
  const { work, begun, end } = openEnded();
  let signal: AbortSignal | undefined;
  const locks = new EphemeralSequentialLocks(dying, root);
  const holder = withEphemeralSequentialLock(locks, 'session', (given) => {
    signal = given;
    return work();
  });
  await begun;
  const waiting = withEphemeralSequentialLock(locks, 'session', async () => {});
  const refused = expect(waiting).rejects.toThrow('The ZooKeeper session has expired.');
  const next = living.lock('session');
  await vi.waitFor(async () => expect(await held('session')).toHaveLength(3), { timeout: 10_000 });
  proxy.refuse();
  const own = await next;
  expect(signal?.aborted).toBe(false);
  proxy.open();
  await living.unlock(own);
  await refused;
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), { timeout: 20_000 });
  end();
  await holder;
  await expect(locks.lock('session')).rejects.toThrow('The ZooKeeper session has expired.');
});

test('18: a broken connection has a limited number of retries, with longer waits', async () => {
  const triedAt: number[] = [];
  const losing = interpose(await connect(), {
    create(_path: string, _mode: number, done: (error: unknown) => void) {
      triedAt.push(performance.now());
      done({ code: Exception.CONNECTION_LOSS });
    },
  });
  const locks = new EphemeralSequentialLocks(losing, root);
  await expect(locks.lock('broken')).rejects.toMatchObject({ code: Exception.CONNECTION_LOSS });
  const waits = triedAt.slice(1).map((at, i) => at - (triedAt[i] ?? 0));
  expect(waits).toHaveLength(5);
  for (const [i, waitedMs] of waits.entries()) expect(waitedMs).toBeGreaterThan(49 * 2 ** i);
});

test('18: a create whose reply is lost is found by its id, and blocks no lock', async () => {
  const client = await connect();
  const lossy = { isLosing: true };
  const losing = interpose(client, {
    create(path: string, mode: number, done: (error: unknown, path: string) => void) {
      client.create(path, mode, (error, created) => {
        if (!lossy.isLosing || !created) return done(error, created);
        lossy.isLosing = false;
        done({ code: Exception.CONNECTION_LOSS }, '');
      });
    },
  });
  const locks = new EphemeralSequentialLocks(losing, root);
  const notes: string[] = [];
  const own = await locks.lock('lost', { note: (what) => notes.push(what) });
  expect(notes).toEqual(['retry']);
  expect(await held('lost')).toHaveLength(1);
  await locks.unlock(own);
  expect(await held('lost')).toEqual([]);
});

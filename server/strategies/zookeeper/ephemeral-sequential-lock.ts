/*
 * Strategy 18: ephemeral sequential nodes in ZooKeeper.
 *
 * Each caller creates a node under the lock's node; ZooKeeper appends a number that only rises. The
 * smallest number holds the lock. Every other caller watches only the node just before its own, and
 * checks again when that is deleted: a release wakes one waiter, not all of them. The nodes are
 * ephemeral: ZooKeeper deletes them when their session ends, so a crash frees the lock. To unlock,
 * a caller deletes its own node. The wait is bounded, by 30 s by default.
 *
 * If the connection breaks, the reply to a create may be lost although the node exists. Each node's
 * name begins with a random id, by which a retry finds it; without that, a node of a live session
 * that no caller knows of would block the lock. Retries wait longer each time.
 *
 * Known limits: a session outlives a crash by its timeout, and a longer pause of the holder ends
 * the session while the work continues: the `AbortSignal` of the work is aborted once the process
 * runs again, but what it then writes may overwrite what others did. A session ends for all of its
 * callers together. Every cycle writes twice to a majority of the servers. The nodes of names stay
 * for ever.
 *
 * Source: catalogue, section D, strategy 18; the lock recipe in ZooKeeper's documentation, and the
 * Curator client.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'node-zookeeper-client';
import { NotGranted } from '../not-granted';
import type { RaceNote } from '../race-note';
import { thenRelease } from '../then-release';
import { isConnectionLoss, isNoNode, type ZookeeperCalls, zookeeperCalls } from './zookeeper-calls';

export interface EphemeralLockOptions {
  /** Default 30 s. */
  waitMs?: number;
  note?: RaceNote;
}

const WAIT_MS = 30_000;
const SEQUENCE_DIGITS = 10;
const RETRIES = 5;
const FIRST_RETRY_MS = 50;

/** The session has ended: ZooKeeper has deleted all nodes of this client. */
class SessionEnded extends Error {
  constructor() {
    super('The ZooKeeper session has expired.');
  }
}

/** The locks that the callers of one session share. */
export class EphemeralSequentialLocks {
  private readonly calls: ZookeeperCalls;
  /** Functions to call when the session ends. */
  private readonly ends = new Set<(error: Error) => void>();
  private hasEnded = false;

  /** @param client connected, or about to be. @param root the parent node of all these locks */
  constructor(
    client: Client,
    private readonly root = '/ephemeral-sequential-locks',
  ) {
    this.calls = zookeeperCalls(client);
    client.once('expired', () => {
      this.hasEnded = true;
      for (const end of [...this.ends]) end(new SessionEnded());
    });
  }

  /** Creates the parent nodes of a name; otherwise its first lock creates them. */
  prepare(name: string): Promise<void> {
    return this.inSession(() => this.calls.createAll(this.parent(name)));
  }

  /** Tries once. Returns the caller's own node, for `unlock`; null if another caller holds it. */
  async tryLock(name: string): Promise<string | null> {
    const own = await this.enter(name);
    const [first] = await this.queue(name);
    if (first === own) return own;
    await this.unlock(own);
    return null;
  }

  /** Waits for the lock. After `waitMs` deletes the caller's node and rejects with `NotGranted`. */
  async lock(name: string, { waitMs = WAIT_MS, note }: EphemeralLockOptions = {}): Promise<string> {
    const endsAt = performance.now() + waitMs;
    const own = await this.enter(name, note);
    try {
      for (let isFirstCheck = true; ; isFirstCheck = false) {
        const queue = await this.queue(name, note);
        const position = queue.indexOf(own);
        if (position === 0) return own;
        const predecessor = queue[position - 1];
        if (!predecessor) throw new NotGranted(name, 'its node was deleted');
        if (isFirstCheck) note?.('conflict');
        await this.untilGone(predecessor, endsAt, name);
      }
    } catch (error) {
      await this.unlock(own).catch(() => undefined);
      throw error;
    }
  }

  /** Deletes the caller's node; no error if its session has ended and deleted it. */
  async unlock(own: string): Promise<void> {
    try {
      await this.inSession(() => retried(() => this.calls.remove(own)));
    } catch (error) {
      if (!isNoNode(error) && !(error instanceof SessionEnded)) throw error;
    }
  }

  /** Runs the work with a signal that is aborted if the session ends before the work does. */
  async whileInSession<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const end = (error: Error) => abort.abort(error);
    this.ends.add(end);
    try {
      return await work(abort.signal);
    } finally {
      this.ends.delete(end);
    }
  }

  /** Creates the caller's node, once, however often the connection breaks. */
  private async enter(name: string, note?: RaceNote): Promise<string> {
    const parent = this.parent(name);
    const id = randomUUID();
    const create = () =>
      this.inSession(() => this.calls.createEphemeralSequential(`${parent}/${id}-`));
    let isFirstTry = true;
    return retried(async () => {
      const created = isFirstTry ? null : await this.find(name, id);
      isFirstTry = false;
      if (created) return created;
      return create().catch(async (error) => {
        if (!isNoNode(error)) throw error;
        await this.prepare(name);
        return create();
      });
    }, note);
  }

  private async find(name: string, id: string): Promise<string | null> {
    const queue = await this.queue(name);
    return queue.find((node) => node.includes(id)) ?? null;
  }

  /** All callers' nodes, in the order of their numbers. */
  private async queue(name: string, note?: RaceNote): Promise<string[]> {
    const parent = this.parent(name);
    const names = await this.inSession(() =>
      retried(() => this.calls.children(parent), note),
    ).catch((error): string[] => {
      if (isNoNode(error)) return [];
      throw error;
    });
    const numberOf = (node: string) => node.slice(-SEQUENCE_DIGITS);
    return names
      .sort((a, b) => (numberOf(a) < numberOf(b) ? -1 : 1))
      .map((node) => `${parent}/${node}`);
  }

  /** Resolves when the node is gone; rejects with `NotGranted` at `endsAt`. */
  private async untilGone(path: string, endsAt: number, name: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const gone = () =>
      new Promise<void>((resolve, reject) => {
        const giveUp = () => reject(new NotGranted(name, 'its turn did not come in time'));
        timer = setTimeout(giveUp, endsAt - performance.now());
        retried(() => this.calls.watch(path, () => resolve())).then((exists) => {
          if (!exists) resolve();
        }, reject);
      });
    try {
      await this.inSession(gone);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects when the session ends: a request that is under way then is never answered. */
  private inSession<T>(ask: () => Promise<T>): Promise<T> {
    if (this.hasEnded) return Promise.reject(new SessionEnded());
    return new Promise((resolve, reject) => {
      this.ends.add(reject);
      ask()
        .finally(() => this.ends.delete(reject))
        .then(resolve, reject);
    });
  }

  private parent(name: string): string {
    // A name may contain slashes, and "." or ".." mean other nodes.
    return `${this.root}/lock-${encodeURIComponent(name)}`;
  }
}

/** Rejects with `NotGranted` if the caller's turn does not come within `waitMs`. */
export async function withEphemeralSequentialLock<T>(
  locks: EphemeralSequentialLocks,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  options: EphemeralLockOptions = {},
): Promise<T> {
  const own = await locks.lock(name, options);
  return thenRelease(
    () => locks.whileInSession(work),
    () => locks.unlock(own),
  );
}

/** Retries after a connection loss, with pauses that double. */
async function retried<T>(ask: () => Promise<T>, note?: RaceNote): Promise<T> {
  for (let i = 0; ; i += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isConnectionLoss(error) || i === RETRIES) throw error;
      note?.('retry');
      await pause(FIRST_RETRY_MS * 2 ** i);
    }
  }
}

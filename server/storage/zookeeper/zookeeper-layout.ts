import { StoreError } from '../record-store';
import type { GuardedConnection } from './client/guarded-connection';
import { CODE, exists, getData, multi, type Step, ZookeeperRefusal } from './client/wire-calls';

const FORMAT = '1';
const BUCKETS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Lockyard's own records are few and read often, so they have a bucket of their own. */
const OWN_BUCKET = 'own';

/**
 * Where everything is under the root:
 *
 * - `r/<bucket>/<id>`: records, with a long queue in a child; `q/<bucket>/<key>`: remembered
 *   answers. Ids and keys are base64url, so that a slash, a dot or an empty text in a name needs no
 *   special case
 * - `h/<chunk>/n<number>`: rows of the history, numbered by ZooKeeper
 * - `g`: the chunk that is written to; its version changes whenever a record is removed, see
 *   `Generation`
 * - `t`: written only to read the clock
 * - `l/l/l/<life>`: the mark of this incarnation, see `ZookeeperGuard`. It is this deep because a
 *   deletion of a whole tree starts with the deepest znodes: the mark is gone before any record
 * - `v`: the layout version
 */
export class ZookeeperLayout {
  readonly tick: string;
  readonly generation: string;
  readonly chunks: string;
  readonly markers: string;

  /** @param root without a slash at its end */
  constructor(readonly root: string) {
    this.tick = `${root}/t`;
    this.generation = `${root}/g`;
    this.chunks = `${root}/h`;
    this.markers = `${root}/l/l/l`;
  }

  record(id: string): string {
    const bytes = Buffer.from(id);
    const bucket = id.startsWith('.') ? OWN_BUCKET : bucketOf(bytes);
    return `${this.root}/r/${bucket}/${bytes.toString('base64url')}`;
  }

  /** A queue is never overwritten: each one has its own name. */
  queue(id: string, name: string): string {
    return `${this.record(id)}/${name}`;
  }

  answer(key: string): string {
    const bytes = Buffer.from(key);
    return `${this.root}/q/${bucketOf(bytes)}/${bytes.toString('base64url')}`;
  }

  marker(incarnation: string): string {
    return `${this.markers}/${incarnation}`;
  }

  chunk(chunk: number): string {
    return `${this.chunks}/${chunk}`;
  }

  historyNode(chunk: number, offset: number): string {
    return `${this.chunk(chunk)}/n${String(offset).padStart(10, '0')}`;
  }

  /** @param ofOwn whether only Lockyard's own records are wanted */
  recordBuckets(ofOwn: boolean): string[] {
    const buckets = ofOwn ? [OWN_BUCKET] : [...BUCKETS, OWN_BUCKET];
    return buckets.map((bucket) => `${this.root}/r/${bucket}`);
  }

  answerBuckets(): string[] {
    return BUCKETS.map((bucket) => `${this.root}/q/${bucket}`);
  }

  /** All parent znodes, and the one that is written to read the clock; each after its parent. */
  parents(): string[] {
    const buckets = [...this.recordBuckets(false), ...this.answerBuckets()];
    const fixed = ['r', 'q', 'h', 'l', 'l/l', 'l/l/l'].map((name) => `${this.root}/${name}`);
    return [...fixed, ...buckets, this.tick];
  }

  /** Creates all but the mark in one step, if there is nothing, so that no process finds a part. */
  async prepare(connection: GuardedConnection): Promise<void> {
    if (await this.isPrepared(connection)) return this.prepareTick(connection);
    for (const path of this.pathsToRoot()) {
      await this.create(connection, [emptyNode(path)], [CODE.nodeExists, CODE.noAuth]);
    }
    const steps = [...this.parents(), this.chunk(0)].map(emptyNode);
    const generation: Step = { kind: 'create', path: this.generation, data: '0' };
    const format: Step = { kind: 'create', path: `${this.root}/v`, data: FORMAT };
    await this.create(connection, [...steps, generation, format], [CODE.nodeExists]);
    if (await this.isPrepared(connection)) return;
    throw new StoreError(`${this.root || '/'} in ZooKeeper holds data of another program.`, 'no');
  }

  /** Without this znode the clock is unreadable and nothing recovers; losing it loses no data. */
  private async prepareTick(connection: GuardedConnection): Promise<void> {
    if (await connection.ask(exists(this.tick))) return;
    await this.create(connection, [emptyNode(this.tick)], [CODE.nodeExists]);
  }

  private async isPrepared(connection: GuardedConnection): Promise<boolean> {
    const format = await connection.ask(getData(`${this.root}/v`));
    if (format === null) return false;
    if (String(format.data) === FORMAT) return true;
    throw new StoreError('A newer version of Lockyard stores its locks in this ZooKeeper.', 'no');
  }

  private async create(
    connection: GuardedConnection,
    steps: Step[],
    tolerated: number[],
  ): Promise<void> {
    const answer = await connection.ask(multi(steps, connection.acl));
    if (!answer.applied && !tolerated.includes(answer.code))
      throw new ZookeeperRefusal(answer.code);
  }

  private pathsToRoot(): string[] {
    const names = this.root.split('/').slice(1);
    return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
  }
}

const emptyNode = (path: string): Step => ({ kind: 'create', path, data: '' });

function bucketOf(bytes: Buffer): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return BUCKETS[(hash ^ (hash >>> 16)) & 255] ?? '00';
}

/** The limits of ZooKeeper's numbers, and the sizes above which one znode is slow. */
export interface ZookeeperLimits {
  /** History rows under one parent. */
  rowsPerChunk: number;
  /** A znode is not overwritten at this version: the one after next would mean any version. */
  lastVersion: number;
  /** A longer queue is stored apart, so that its record can be written without it. */
  inlineQueueChars: number;
}

export const LIMITS: ZookeeperLimits = {
  rowsPerChunk: 1_000_000,
  lastVersion: 2 ** 31 - 1,
  inlineQueueChars: 4_000,
};

import { StoreError } from '../record-store';
import { type Acl, CODE, getData, multi, type Step, ZookeeperRefusal } from './wire-calls';
import type { ZookeeperConnection } from './zookeeper-connection';

const FORMAT = '1';
const BUCKETS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Lockyard's own records are few and read often, so they are kept apart from everybody's. */
const OWN_BUCKET = 'own';

/**
 * Where everything is under the root:
 *
 * - `r/<bucket>/<id>`: records; `q/<bucket>/<key>`: remembered answers. Ids and keys are base64url, so that a slash, a dot or an
 *   empty text in a name is nothing special
 * - `h/<chunk>/n<number>`: rows of the history, numbered by ZooKeeper
 * - `g`: the chunk that is written to; its version changes whenever a record is removed, see `Generation`
 * - `t`: written again and again, for the instant of writing it
 * - `v`: which layout this is
 */
export class ZookeeperLayout {
  readonly tick: string;
  readonly generation: string;
  readonly chunks: string;

  /** @param root without a slash at its end */
  constructor(readonly root: string) {
    this.tick = `${root}/t`;
    this.generation = `${root}/g`;
    this.chunks = `${root}/h`;
  }

  record(id: string): string {
    const bucket = id.startsWith('.') ? OWN_BUCKET : bucketOf(id);
    return `${this.root}/r/${bucket}/${Buffer.from(id).toString('base64url')}`;
  }

  memo(key: string): string {
    return `${this.root}/q/${bucketOf(key)}/${Buffer.from(key).toString('base64url')}`;
  }

  chunk(chunk: number): string {
    return `${this.chunks}/${chunk}`;
  }

  historyNode(chunk: number, place: number): string {
    return `${this.chunk(chunk)}/n${String(place).padStart(10, '0')}`;
  }

  /** @param ofOwn whether Lockyard's own records are asked for alone */
  recordBuckets(ofOwn: boolean): string[] {
    const buckets = ofOwn ? [OWN_BUCKET] : [...BUCKETS, OWN_BUCKET];
    return buckets.map((bucket) => `${this.root}/r/${bucket}`);
  }

  memoBuckets(): string[] {
    return BUCKETS.map((bucket) => `${this.root}/q/${bucket}`);
  }

  /** Makes whatever is missing; all of it at once, so that nobody meets a part. */
  async prepare(connection: ZookeeperConnection, acl: Acl): Promise<void> {
    if (await this.isPrepared(connection)) return;
    for (const path of this.wayToRoot()) {
      await this.create(connection, acl, [emptyNode(path)], [CODE.nodeExists, CODE.noAuth]);
    }
    const buckets = [...this.recordBuckets(false), ...this.memoBuckets()];
    const parents = [`${this.root}/r`, `${this.root}/q`, this.chunks];
    const steps = [...parents, ...buckets, this.chunk(0), this.tick].map(emptyNode);
    const generation: Step = { kind: 'create', path: this.generation, data: Buffer.from('0') };
    const format: Step = { kind: 'create', path: `${this.root}/v`, data: Buffer.from(FORMAT) };
    await this.create(connection, acl, [...steps, generation, format], [CODE.nodeExists]);
    if (await this.isPrepared(connection)) return;
    throw new StoreError(
      `${this.root || '/'} in ZooKeeper holds something that is not Lockyard's.`,
      'no',
    );
  }

  private async isPrepared(connection: ZookeeperConnection): Promise<boolean> {
    const format = await connection.ask(getData(`${this.root}/v`));
    if (format === null) return false;
    if (String(format.data) === FORMAT) return true;
    throw new StoreError('A newer Lockyard keeps its locks in this ZooKeeper.', 'no');
  }

  private async create(
    connection: ZookeeperConnection,
    acl: Acl,
    steps: Step[],
    excused: number[],
  ): Promise<void> {
    const answer = await connection.ask(multi(steps, acl));
    if (!answer.took && !excused.includes(answer.code)) throw new ZookeeperRefusal(answer.code);
  }

  private wayToRoot(): string[] {
    const names = this.root.split('/').slice(1);
    return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
  }
}

const emptyNode = (path: string): Step => ({ kind: 'create', path, data: Buffer.alloc(0) });

function bucketOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return BUCKETS[(hash ^ (hash >>> 16)) & 255] ?? '00';
}

import type { HistoryRow, HistorySource } from '../record-store';
import type {
  ConnectionProvider,
  Generation,
  GuardedConnection,
} from './client/guarded-connection';
import {
  CODE,
  exists,
  getChildren,
  getData,
  type Step,
  sync,
  ZookeeperRefusal,
} from './client/wire-calls';
import type { Stat } from './client/wire-format';
import { type HistoryContent, historyRowOf, rowOfContent } from './znode-codec';

/** ZooKeeper numbers a parent's children below this, so the ids of two chunks never collide. */
const IDS_OF_CHUNK = 2 ** 31;

const PRUNE_ROWS = 500;

/** Written rows that are kept until they are read, usually within a second. */
const OWN_ROWS_MAX = 1_000;

/**
 * The history: numbered children under a sequence of parents. The step that writes a row also
 * assigns its number, so rows become visible in the order of their numbers. A number is missing
 * only if its row was removed, and the oldest rows are removed first. So a parent's stat shows
 * which rows exist, and no listing is needed.
 */
export class HistoryChunks implements HistorySource {
  private isStartingChunk = false;
  /** What this process has written and not read: a row never changes, so it is not fetched. */
  private readonly own = new Map<number, { content: HistoryContent; writtenAt: number }>();
  /** The incarnation in which the rows of `own` were written. */
  private incarnation: string | null = null;

  /** @param rowsOfChunk how many rows a parent gets before the next one is started */
  constructor(
    private readonly session: ConnectionProvider,
    private readonly rowsOfChunk: number,
  ) {}

  async historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    const connection = await this.synced();
    const rows: HistoryRow[] = [];
    let after = position;
    for (const { chunk, stat } of await this.chunksFrom(connection, chunkOf(position + 1))) {
      const end = idOf(chunk, stat.created - 1);
      after = Math.max(after, idOf(chunk, stat.created - stat.children) - 1);
      while (after < end && rows.length < limit) {
        const upTo = Math.min(end, after + limit - rows.length);
        rows.push(...(await this.rowsAt(connection, range(after + 1, upTo))));
        after = upTo;
      }
      if (rows.length >= limit) break;
    }
    return rows;
  }

  async historyOf(ids: number[]): Promise<HistoryRow[]> {
    if (ids.length === 0) return [];
    const connection = await this.synced();
    const chunks = await this.chunksFrom(connection, chunkOf(Math.min(...ids)));
    const ends = new Map(chunks.map(({ chunk, stat }) => [chunk, stat]));
    const possible = ids.filter((id) => {
      const stat = ends.get(chunkOf(id));
      return stat && offsetOf(id) < stat.created && offsetOf(id) >= stat.created - stat.children;
    });
    return this.rowsAt(connection, possible);
  }

  async historyEnd(): Promise<number> {
    const connection = await this.synced();
    const chunks = await this.chunksFrom(connection, 0);
    return Math.max(0, ...chunks.map(({ chunk, stat }) => idOf(chunk, stat.created - 1)));
  }

  /** If two processes prune at the same time, the second removes nothing. */
  async pruneHistory(position: number, before: number): Promise<number> {
    const connection = await this.synced();
    const chunks = await this.chunksFrom(connection, 0);
    for (const { chunk, stat } of chunks) {
      const first = idOf(chunk, stat.created - stat.children);
      const last = Math.min(position, idOf(chunk, stat.created - 1), first + PRUNE_ROWS - 1);
      const old = await this.oldestOf(connection, range(first, last), before);
      if (old.length > 0) return this.remove(old);
      if (stat.children > 0 || chunk === chunks.at(-1)?.chunk) return 0;
      await this.session.write([
        { kind: 'delete', path: this.session.layout.chunk(chunk), version: -1 },
      ]);
    }
    return 0;
  }

  /** Notes a written row; the next parent is started before this one is full. */
  noteRow(generation: Generation, path: string, content: HistoryContent, writtenAt: number): void {
    const offset = Number(path.slice(-10));
    this.keepOwn(generation, idOf(generation.chunk, offset), { content, writtenAt });
    if (offset + 1 < this.rowsOfChunk || this.isStartingChunk) return;
    this.isStartingChunk = true;
    const chunk = generation.chunk + 1;
    const begin: Step = {
      kind: 'create',
      path: this.session.layout.chunk(chunk),
      data: '',
    };
    // Once the next parent exists, no row is written to this one: both steps need the generation.
    this.session
      .write([this.newGeneration({ ...generation, chunk }), begin], generation)
      .then(() => this.session.refreshGeneration())
      .catch(() => undefined)
      .finally(() => {
        this.isStartingChunk = false;
      });
  }

  /** The step that ends a generation; it fails if another process has ended it. */
  newGeneration({ version, chunk }: Pick<Generation, 'version' | 'chunk'>) {
    const path = this.session.layout.generation;
    return { kind: 'set' as const, path, data: String(chunk), version };
  }

  private async synced(): Promise<GuardedConnection> {
    const connection = await this.session.connected();
    // Later requests on this connection are answered after the sync; if it fails, so do they.
    connection.ask(sync(this.session.layout.chunks)).catch(() => undefined);
    return connection;
  }

  private async chunksFrom(
    connection: GuardedConnection,
    from: number,
  ): Promise<{ chunk: number; stat: Stat }[]> {
    const listed = await connection.ask(getChildren(this.session.layout.chunks));
    if (listed === null) throw new ZookeeperRefusal(CODE.noNode);
    const chunks = listed.names.map(Number).sort((a, b) => a - b);
    const asked = chunks
      .filter((chunk) => chunk >= from)
      .map(async (chunk) => ({
        chunk,
        stat: await connection.ask(exists(this.session.layout.chunk(chunk))),
      }));
    const all = await Promise.all(asked);
    return all.flatMap(({ chunk, stat }) => (stat ? [{ chunk, stat }] : []));
  }

  private async rowsAt(connection: GuardedConnection, ids: number[]): Promise<HistoryRow[]> {
    if (connection.generation.incarnation !== this.incarnation) this.own.clear();
    const asked = ids.map(async (id) => {
      const own = this.own.get(id);
      this.own.delete(id);
      if (own) return rowOfContent(id, own.content, own.writtenAt);
      const node = await connection.ask(getData(this.pathOf(id)));
      return node && historyRowOf(id, node.data, node.stat.mtime);
    });
    const rows = await Promise.all(asked);
    return rows.filter((row) => row !== null);
  }

  private keepOwn(
    { incarnation }: Generation,
    id: number,
    row: { content: HistoryContent; writtenAt: number },
  ): void {
    if (incarnation !== this.incarnation) this.own.clear();
    this.incarnation = incarnation;
    this.own.set(id, row);
    if (this.own.size <= OWN_ROWS_MAX) return;
    for (const oldest of this.own.keys()) {
      this.own.delete(oldest);
      return;
    }
  }

  private async oldestOf(
    connection: GuardedConnection,
    ids: number[],
    before: number,
  ): Promise<number[]> {
    const stats = await Promise.all(ids.map((id) => connection.ask(exists(this.pathOf(id)))));
    const young = stats.findIndex((stat) => stat === null || stat.mtime >= before);
    return young < 0 ? ids : ids.slice(0, young);
  }

  private async remove(ids: number[]): Promise<number> {
    const steps = ids.map((id): Step => ({ kind: 'delete', path: this.pathOf(id), version: -1 }));
    const { applied } = await this.session.write(steps);
    return applied ? ids.length : 0;
  }

  private pathOf(id: number): string {
    return this.session.layout.historyNode(chunkOf(id), offsetOf(id));
  }
}

const chunkOf = (id: number): number => Math.floor(Math.max(id - 1, 0) / IDS_OF_CHUNK);

const offsetOf = (id: number): number => (id - 1) % IDS_OF_CHUNK;

const idOf = (chunk: number, offset: number): number => chunk * IDS_OF_CHUNK + offset + 1;

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(to - from + 1, 0) }, (_, i) => from + i);

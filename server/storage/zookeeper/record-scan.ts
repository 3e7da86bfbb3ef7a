import { idRange, recordId, recordKey } from '../record-id';
import type { Cursor, Page } from '../record-store';
import type { ConnectionProvider } from './client/guarded-connection';
import { exists, getChildren, sync } from './client/wire-calls';
import type { ZnodeCache } from './znode-cache';

/** How many listed names are read at a time; some may have no record. */
const READ_BATCH = 500;

/** A bucket's children as they were listed when it had this `pzxid`, as sorted ids. */
interface Listed {
  pzxid: bigint;
  ids: string[];
}

/**
 * Records in key order. ZooKeeper keeps no order, so every bucket is listed. A bucket whose stat is
 * unchanged is not listed again, and later pages of a scan list none.
 */
export class RecordScan {
  private readonly listed = new Map<string, Listed>();
  /** The ids of the scan under way, by namespace: later pages continue in the same list. */
  private readonly scans = new Map<string | null, string[]>();
  /** The incarnation in which they were listed. */
  private incarnation: string | null = null;

  constructor(
    private readonly session: ConnectionProvider,
    private readonly cache: ZnodeCache,
  ) {}

  async page({ namespace, after }: Cursor, limit: number): Promise<Page> {
    const isOwn = namespace?.startsWith('.') === true;
    this.dropOtherIncarnations();
    const isNext = after !== null && !isOwn;
    const ids = (isNext ? this.scans.get(namespace) : undefined) ?? (await this.list(namespace));
    this.scans.set(namespace, ids);
    const records: Page['records'] = [];
    let index = after === null ? 0 : indexAfter(ids, sortable(recordId(after)));
    while (index < ids.length && records.length < limit) {
      const batch = ids.slice(index, index + Math.min(READ_BATCH, limit - records.length));
      index += batch.length;
      records.push(...(await this.read(batch)));
    }
    const last = records.at(-1);
    if (records.length === limit && last) return { records, next: { namespace, after: last.key } };
    this.scans.delete(namespace);
    return { records, next: null };
  }

  private dropOtherIncarnations(): void {
    const { incarnation } = this.session.generation;
    if (incarnation === this.incarnation) return;
    this.listed.clear();
    this.scans.clear();
    this.incarnation = incarnation;
  }

  private async read(listed: string[]): Promise<Page['records']> {
    const ids = listed.map(fromSortable);
    const read = await this.cache.read(this.session, ids, []);
    const now = this.session.earliest();
    return read.records.flatMap(({ content }, i) =>
      content ? [{ key: recordKey(ids[i] ?? ''), record: content, now }] : [],
    );
  }

  private async list(namespace: string | null): Promise<string[]> {
    const buckets = this.session.layout.recordBuckets(namespace?.startsWith('.') === true);
    const connection = await this.session.connected();
    connection.ask(sync(this.session.layout.tick)).catch(() => undefined);
    const stats = await Promise.all(buckets.map((bucket) => connection.ask(exists(bucket))));
    const lists = await Promise.all(
      buckets.map(async (bucket, i) => {
        const known = this.listed.get(bucket);
        if (known && known.pzxid === stats[i]?.pzxid) return known.ids;
        const found = await connection.ask(getChildren(bucket));
        const ids = (found?.names ?? []).map((name) =>
          Buffer.from(name, 'base64url').toString('latin1'),
        );
        if (found) this.listed.set(bucket, { pzxid: found.stat.pzxid, ids });
        return ids;
      }),
    );
    const all = lists.flat();
    await connection.prove();
    if (namespace === null) return all.sort(inOrder);
    const [from, to] = idRange(namespace).map(sortable);
    return all.filter((id) => id >= (from ?? '') && id < (to ?? '')).sort(inOrder);
  }
}

/** A text that JavaScript sorts in the order of the id's bytes. */
const sortable = (id: string): string => Buffer.from(id).toString('latin1');

const fromSortable = (id: string): string => Buffer.from(id, 'latin1').toString('utf8');

const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

function indexAfter(ids: string[], after: string): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? '') <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

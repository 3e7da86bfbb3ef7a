import type { RecordKey } from '../backends/record-store';
import type { NameCount } from '../engine/name-count';

/** The rows of a board by their ids. Every name that comes or goes is counted. */
export class CountedRows<Row> extends Map<string, Row> {
  constructor(
    private readonly names: Pick<NameCount, 'appeared' | 'vanished'>,
    private readonly keyOf: (row: Row) => RecordKey,
  ) {
    super();
  }

  override set(id: string, row: Row): this {
    if (!this.has(id)) this.names.appeared(this.keyOf(row));
    return super.set(id, row);
  }

  override delete(id: string): boolean {
    const row = this.get(id);
    if (row !== undefined) this.names.vanished(this.keyOf(row));
    return super.delete(id);
  }
}

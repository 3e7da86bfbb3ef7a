import type {
  Change,
  Cursor,
  HistorySource,
  ObsoleteRecord,
  RecordKey,
  RecordStore,
  SwapResult,
} from '@/server/storage/record-store';
import type { SimDatabase } from './sim-database';
import type { SimLink } from './sim-link';

/** One process's connection to the database, with everything that can happen on it. */
export class SimConnection implements RecordStore, HistorySource {
  readonly testsAnswers: boolean = true;

  constructor(
    protected readonly database: SimDatabase,
    protected readonly link: SimLink,
    /** Whether an operator uses it, and not the process on its own. */
    private readonly isOperator = false,
  ) {}

  /** The same connection as operators use it. */
  forOperators(): SimConnection {
    return new SimConnection(this.database, this.link, true);
  }

  read(keys: RecordKey[], requestKeys: string[]) {
    return this.link.call('read', () => this.database.read(keys, requestKeys));
  }

  swap(changes: Change[]) {
    return this.link.call('swap', () => this.database.swap(changes).map(withRecordAtHand));
  }

  swapAll(changes: Change[]) {
    return this.link.call('swap', () => this.database.swap(changes, true).map(withRecordAtHand));
  }

  scan(cursor: Cursor, limit: number) {
    return this.link.call('read', () => this.database.scan(cursor, limit));
  }

  historyAfter(position: number, limit: number) {
    return this.link.call('read', () => this.database.history((id) => id > position, limit));
  }

  historyOf(ids: number[]) {
    const asked = new Set(ids);
    return this.link.call('read', () => this.database.history((id) => asked.has(id), ids.length));
  }

  async historyEnd() {
    return this.database.wholeHistory().length;
  }

  deleteRecords(obsolete: ObsoleteRecord[]) {
    return this.link.call('swap', () => this.database.deleteRecords(obsolete, this.isOperator));
  }

  async deleteExpiredAnswers() {}

  async pruneHistory() {
    return 0;
  }

  async guarantees() {
    return { level: 'Strong' as const, reasons: ['It is simulated.'], settings: [], unsafe: null };
  }

  async close() {}
}

/** A swap does not always return the record that it found: MariaDB omits one just written. */
function withRecordAtHand(result: SwapResult): SwapResult {
  const { found, ...rest } = result;
  return found && (result.now + found.rev) % 3 === 0 ? rest : result;
}

import { connectionRefusal } from '@/db/mysql/connection-refusal';
import { Periodic } from '../platform/periodic';
import { TimeLimit } from '../platform/time-limit';
import { mysqlRefusal } from './mysql/mysql-refusal';
import {
  type Change,
  type Cursor,
  type HistorySource,
  type RecordKey,
  type RecordStore,
  StoreError,
} from './record-store';

type Store = RecordStore & HistorySource;

const RETRY_MS = 2_000;

/** How long a start waits for a store to open: a slow one must not delay the others. */
const START_MAX_MS = 5_000;

/** How long closing waits for an opening, which may itself be waiting for a database migration. */
const CLOSE_MAX_MS = 2_000;

/**
 * A store that may be absent when the process starts. Opening it is retried until it succeeds;
 * until then every call fails and nothing is applied.
 */
export class LazyStore implements RecordStore, HistorySource {
  private store: Store | null = null;
  private readonly opening = new Periodic({
    job: 'open a backend',
    everyMs: RETRY_MS,
    run: () => this.tryToOpen(),
  });
  /** Why the last attempt failed. */
  private failure: unknown = null;
  private isClosed = false;

  /**
   * @param onFailure called with the error of a failed attempt, unless it repeats that of the
   *   previous one: a backend may be down all night
   */
  private constructor(
    private readonly open: () => Promise<Store>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Resolves after the first attempt, successful or not, or after `START_MAX_MS`. */
  static async start(
    open: () => Promise<Store>,
    onFailure: (error: unknown) => void,
  ): Promise<LazyStore> {
    const lazy = new LazyStore(open, onFailure);
    const first = lazy.opening.startNow();
    await TimeLimit.within(START_MAX_MS, stillOpening, first).catch((error) => lazy.note(error));
    return lazy;
  }

  get costsPerRecord(): boolean {
    return this.store?.costsPerRecord ?? false;
  }

  get isEmbedded(): boolean {
    return this.store?.isEmbedded ?? false;
  }

  get estimatesClock(): boolean {
    return this.store?.estimatesClock ?? false;
  }

  get testsAnswers(): boolean {
    return this.store?.testsAnswers ?? false;
  }

  read(keys: RecordKey[], requestKeys: string[]) {
    return this.requireStore().then((store) => store.read(keys, requestKeys));
  }

  swap(changes: Change[]) {
    return this.requireStore().then((store) => store.swap(changes));
  }

  swapAll(changes: Change[]) {
    return this.requireStore().then((store) => store.swapAll(changes));
  }

  scan(cursor: Cursor, limit: number) {
    return this.requireStore().then((store) => store.scan(cursor, limit));
  }

  deleteRecords(records: Parameters<Store['deleteRecords']>[0]) {
    return this.requireStore().then((store) => store.deleteRecords(records));
  }

  deleteExpiredAnswers() {
    return this.requireStore().then((store) => store.deleteExpiredAnswers());
  }

  guarantees() {
    return this.requireStore().then((store) => store.guarantees());
  }

  historyAfter(position: number, limit: number) {
    return this.requireStore().then((store) => store.historyAfter(position, limit));
  }

  historyOf(ids: number[]) {
    return this.requireStore().then((store) => store.historyOf(ids));
  }

  pruneHistory(position: number, before: number) {
    return this.requireStore().then((store) => store.pruneHistory(position, before));
  }

  historyEnd() {
    return this.requireStore().then((store) => store.historyEnd());
  }

  /** Resolves within `CLOSE_MAX_MS`; a store that is opened only later is closed again. */
  async close(): Promise<void> {
    this.isClosed = true;
    await TimeLimit.within(CLOSE_MAX_MS, stillOpening, this.opening.stop()).catch(() => undefined);
    await this.store?.close();
  }

  private async requireStore(): Promise<Store> {
    if (this.store) return this.store;
    const { failure: cause } = this;
    const text = 'This backend has not been reachable since the start.';
    throw new StoreError(text, 'no', { cause, refusal: refusalIn(cause) });
  }

  private async tryToOpen(): Promise<void> {
    try {
      const store = await this.open();
      if (this.isClosed) return await store.close();
      this.store = store;
      void this.opening.stop();
    } catch (error) {
      this.note(error);
    }
  }

  private note(failure: unknown): void {
    const isSameFailure = String(failure) === String(this.failure);
    this.failure = failure;
    if (!isSameFailure) this.onFailure(failure);
  }
}

const stillOpening = () =>
  new Error('The backend is still being opened. It may be waiting for a migration of its tables.');

/** For callers: why a backend that answers cannot be used; null if it does not answer. */
function refusalIn(failure: unknown): string | null {
  if (failure instanceof StoreError) return failure.refusal;
  const why = connectionRefusal(failure);
  return why ? `The backend cannot be used: ${why}.` : mysqlRefusal(failure);
}

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

/**
 * A store that may be absent when the process starts. It retries until it is there; until then
 * every call fails and nothing is applied.
 */
export class LateStore implements RecordStore, HistorySource {
  private store: Store | null = null;
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Why the last attempt failed. */
  private failure: string | null = null;

  /**
   * @param onFailure called with a failed attempt, unless it failed for the same reason as the one
   *   before: a backend may be away all night
   */
  private constructor(
    private readonly open: () => Promise<Store>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Resolves after the first attempt, whether or not it succeeded. */
  static async start(
    open: () => Promise<Store>,
    onFailure: (error: unknown) => void,
  ): Promise<LateStore> {
    const late = new LateStore(open, onFailure);
    await late.tryToOpen();
    return late;
  }

  get paysByRecord(): boolean {
    return this.store?.paysByRecord ?? false;
  }

  get estimatesClock(): boolean {
    return this.store?.estimatesClock ?? false;
  }

  read(keys: RecordKey[], requestKeys: string[]) {
    return this.opened().then((store) => store.read(keys, requestKeys));
  }

  swap(changes: Change[]) {
    return this.opened().then((store) => store.swap(changes));
  }

  swapAll(changes: Change[]) {
    return this.opened().then((store) => store.swapAll(changes));
  }

  scan(cursor: Cursor, limit: number) {
    return this.opened().then((store) => store.scan(cursor, limit));
  }

  forget(records: Parameters<Store['forget']>[0]) {
    return this.opened().then((store) => store.forget(records));
  }

  guarantees() {
    return this.opened().then((store) => store.guarantees());
  }

  historyAfter(position: number, limit: number) {
    return this.opened().then((store) => store.historyAfter(position, limit));
  }

  historyOf(ids: number[]) {
    return this.opened().then((store) => store.historyOf(ids));
  }

  pruneHistory(position: number, before: number) {
    return this.opened().then((store) => store.pruneHistory(position, before));
  }

  historyEnd() {
    return this.opened().then((store) => store.historyEnd());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    await this.store?.close();
  }

  private async opened(): Promise<Store> {
    if (this.store) return this.store;
    throw new StoreError('This backend has not been there since the start.', 'no');
  }

  private async tryToOpen(): Promise<void> {
    try {
      const store = await this.open();
      if (this.isClosed) await store.close();
      else this.store = store;
    } catch (error) {
      const isAsBefore = String(error) === this.failure;
      this.failure = String(error);
      if (!isAsBefore) this.onFailure(error);
      if (this.isClosed) return;
      this.retry = setTimeout(() => void this.tryToOpen(), RETRY_MS).unref();
    }
  }
}

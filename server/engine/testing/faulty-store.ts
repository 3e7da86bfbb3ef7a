import {
  type Change,
  type Cursor,
  type HistorySource,
  type ObsoleteRecord,
  type RecordKey,
  type RecordStore,
  StoreError,
  type SwapResult,
} from '../../storage/record-store';

type Store = RecordStore & HistorySource;

/**
 * The fate of one call.
 *
 * - `pass`: it runs. `beforeMs` delays the call, `afterMs` its reply; `first` runs before the call,
 *   `last` between it and its reply.
 * - `loseReply`: it runs, and its reply is lost.
 * - `loseRequest`: it never runs, and there is no reply.
 * - `landLate`: there is no reply, and it runs `afterMs` later.
 * - `refuse`: it fails, and is known not to have run.
 * - `rollBack`: as `refuse`, because of a conflict with another writer.
 */
export type Fate =
  | {
      kind: 'pass';
      beforeMs?: number;
      afterMs?: number;
      first?: () => Promise<unknown>;
      last?: () => Promise<unknown>;
    }
  | { kind: 'loseReply' | 'loseRequest' | 'refuse' | 'rollBack' }
  | { kind: 'landLate'; afterMs: number };

export const PASS: Fate = { kind: 'pass' };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A real store, with faults between it and its caller. */
export class FaultyStore implements RecordStore, HistorySource {
  /** Decides the fate of each swap. */
  onSwap: (changes: Change[]) => Fate = () => PASS;
  /** Runs once, between the reads of the records and of the stored answers in the next read. */
  tear: (() => Promise<unknown>) | null = null;
  /** Decides the fate of each read. */
  onRead: (keys: RecordKey[]) => Fate = () => PASS;
  /** Decides the fate of each scan. */
  onScan: (cursor: Cursor) => Fate = () => PASS;
  /** Decides the fate of each deletion of records. */
  onDelete: (records: ObsoleteRecord[]) => Fate = () => PASS;
  /** How far the store's clock appears to have been set since it was opened; negative: back. */
  clockSetMs = 0;
  private isGone = false;
  private readonly late: Promise<unknown>[] = [];

  constructor(private readonly store: Store) {}

  /**
   * Acts from now on as if the process behind this store were dead: no call reaches the records.
   */
  goAway(): void {
    this.isGone = true;
  }

  comeBack(): void {
    this.isGone = false;
  }

  get estimatesClock(): boolean {
    return this.store.estimatesClock ?? false;
  }

  get testsAnswers(): boolean {
    return this.store.testsAnswers ?? false;
  }

  read(keys: RecordKey[], requestKeys: string[]) {
    return this.applyFate(this.onRead(keys), () => this.readTorn(keys, requestKeys)).then(
      ({ records, storedAnswers }) => ({
        records: records.map((read) => this.setClock(read)),
        storedAnswers,
      }),
    );
  }

  swap(changes: Change[]): Promise<SwapResult[]> {
    const asSeen = changes.map((change) => this.unsetClock(change));
    const swapped = this.applyFate(this.onSwap(changes), () => this.store.swap(asSeen));
    return swapped.then((results) => results.map((result) => this.setClock(result)));
  }

  swapAll(changes: Change[]): Promise<SwapResult[]> {
    const asSeen = changes.map((change) => this.unsetClock(change));
    const swapped = this.applyFate(this.onSwap(changes), () => this.store.swapAll(asSeen));
    return swapped.then((results) => results.map((result) => this.setClock(result)));
  }

  scan(cursor: Cursor, limit: number) {
    const scanned = this.applyFate(this.onScan(cursor), () => this.store.scan(cursor, limit));
    return scanned.then(({ records, next }) => ({
      records: records.map((read) => this.setClock(read)),
      next,
    }));
  }

  deleteRecords(records: ObsoleteRecord[]) {
    return this.applyFate(this.onDelete(records), () => this.store.deleteRecords(records));
  }

  deleteExpiredAnswers() {
    return this.applyFate(PASS, () => this.store.deleteExpiredAnswers());
  }

  guarantees() {
    return this.applyFate(PASS, () => this.store.guarantees());
  }

  historyAfter(position: number, limit: number) {
    return this.applyFate(PASS, () => this.store.historyAfter(position, limit));
  }

  historyOf(ids: number[]) {
    return this.applyFate(PASS, () => this.store.historyOf(ids));
  }

  historyEnd() {
    return this.applyFate(PASS, () => this.store.historyEnd());
  }

  pruneHistory(position: number, before: number) {
    return this.applyFate(PASS, () => this.store.pruneHistory(position, before));
  }

  /** Waits for the calls with the fate `landLate`. */
  async allLanded(): Promise<void> {
    await Promise.all(this.late);
  }

  async close(): Promise<void> {
    await this.allLanded();
    await this.store.close();
  }

  private setClock<T extends { now: number }>(shown: T): T {
    return { ...shown, now: shown.now + this.clockSetMs };
  }

  private unsetClock(change: Change): Change {
    const { past, ahead } = change.clock;
    const earliest = Math.max(0, past - this.clockSetMs);
    return { ...change, clock: { past: earliest, ahead: ahead - this.clockSetMs } };
  }

  private async readTorn(keys: RecordKey[], requestKeys: string[]) {
    const { tear } = this;
    if (!tear || requestKeys.length === 0) return this.store.read(keys, requestKeys);
    this.tear = null;
    const { records } = await this.store.read(keys, []);
    await tear();
    const { storedAnswers } = await this.store.read([], requestKeys);
    return { records, storedAnswers };
  }

  private async applyFate<T>(fate: Fate, work: () => Promise<T>): Promise<T> {
    if (this.isGone || fate.kind === 'refuse') throw new StoreError('Unreachable.', 'no');
    switch (fate.kind) {
      case 'pass': {
        if (fate.beforeMs) await pause(fate.beforeMs);
        await fate.first?.();
        const result = await work();
        await fate.last?.();
        if (fate.afterMs) await pause(fate.afterMs);
        return result;
      }
      case 'loseReply':
        await work();
        throw new StoreError('The reply was lost.', 'unknown');
      case 'rollBack':
        throw new StoreError('Another writer conflicted.', 'no', { retryable: true });
      case 'loseRequest':
        throw new StoreError('The request was lost.', 'unknown');
      case 'landLate':
        this.late.push(
          pause(fate.afterMs)
            .then(work)
            .catch(() => undefined),
        );
        throw new StoreError('The request is on its way.', 'unknown');
    }
  }
}

/** Gives these fates to the first calls that `concerns` selects; all others pass. */
export function firstFates<T>(concerns: (call: T) => boolean, ...fates: Fate[]): (call: T) => Fate {
  const left = [...fates];
  return (call) => (concerns(call) ? (left.shift() ?? PASS) : PASS);
}

/** Swaps that touch this record. */
export const touching =
  (key: RecordKey) =>
  (changes: Change[]): boolean =>
    changes.some(
      (change) => change.key.name === key.name && change.key.namespace === key.namespace,
    );

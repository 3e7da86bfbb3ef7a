import { afterAll, beforeAll, describe } from 'vitest';
import type { IdempotencyRecord } from '../../../core/decision';
import { newWriter } from '../../../engine/new-writer';
import type { HistoryRow, RecordKey } from '../../record-store';
import { freshKey, readOne } from '../testing/changes';
import type { Capability, Store, StoreUnderTest } from '../testing/stores-under-test';
import { contractStores } from './contract-stores';

export const MINUTE = 60_000;

/** Later than any test can end. */
export const NEVER = 9e12;

/** The store under test, as two processes see it. */
export interface ContractSuite {
  readonly under: StoreUnderTest;
  readonly store: Store;
  readonly other: Store;
  can(capability: Capability): boolean;
  /** The store's clock, from a read. */
  now(): Promise<number>;
  /** The stored events of a record, commit by commit. */
  historyOf(key: RecordKey): Promise<HistoryRow['changes']>;
  storedAnswersOf(...keys: string[]): Promise<IdempotencyRecord[]>;
}

/**
 * Runs these cases against every store. Each store is opened once for all of them, and shared with
 * no other file.
 */
export function contract(title: string, cases: (suite: ContractSuite) => void): void {
  describe.each(Object.entries(contractStores))(`${title}, in a store of %s`, (_, kind) => {
    let under: StoreUnderTest;
    let other: Store;
    beforeAll(async () => {
      under = await kind.open();
      other = await under.another();
    });
    afterAll(() => under?.close());
    cases({
      get under() {
        return under;
      },
      get store() {
        return under.store;
      },
      get other() {
        return other;
      },
      can: (capability) => kind.capabilities.includes(capability),
      now: async () => (await readOne(under.store, freshKey())).now,
      historyOf: async ({ name }) =>
        (await wholeHistory(under.store))
          .flatMap(({ changes }) => changes)
          .filter((change) => change.key.name === name),
      storedAnswersOf: async (...keys) => (await under.store.read([], keys)).storedAnswers,
    });
  });
}

export async function wholeHistory(store: Store): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for (;;) {
    const page = await store.historyAfter(rows.at(-1)?.id ?? 0, 1_000);
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

export const storedAnswerOf = (answer: unknown, expiresAt = NEVER): IdempotencyRecord => ({
  key: newWriter() + newWriter(),
  inputHash: newWriter() + newWriter(),
  answer,
  expiresAt,
});

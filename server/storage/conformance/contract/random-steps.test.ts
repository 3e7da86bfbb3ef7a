import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import { newSeed, seeded } from '../../../engine/testing/seeded';
import { recordId } from '../../record-id';
import type { Change, ObsoleteRecord, RecordKey } from '../../record-store';
import { counterEventOf, eventOf, freshKey } from '../testing/changes';
import { StoreModel } from '../testing/store-model';
import {
  type ContractSuite,
  contract,
  MINUTE,
  NEVER,
  storedAnswerOf,
  wholeHistory,
} from './contract-suite';

const STEPS = process.env.TEST_LONG === '1' ? 250 : 80;
const REQUESTS_OF_KEY = 4;

const ENDS_OF_NAMES = ['', 'B', 'b', "q'uo\\te", 'é漢😀', '/y#z', '.', ' sp '];
const TEXTS = ['', 'h', "it's", 'a\\b', '\n\t', '{"a":[1]}', 'x'.repeat(500), 'é漢😀'];
const QUEUES = ['', "it's;--", 'é漢😀', 'q'.repeat(3_999), 'q'.repeat(4_001), 'é'.repeat(9_000)];

/** Records of one test, and random changes of them. */
class RandomSteps {
  readonly model = new StoreModel();
  private readonly requests: Map<RecordKey, string[]>;

  constructor(
    private readonly random: () => number,
    private readonly testsAnswers: boolean,
  ) {
    const keys = ENDS_OF_NAMES.map((end, i): RecordKey => {
      const key = freshKey(i % 2 ? 'default' : 'other');
      const name = key.name + end;
      return i === 0 ? { ...key, name, kind: 'counter' } : { ...key, name };
    });
    const requestsOfKey = () =>
      Array.from({ length: REQUESTS_OF_KEY }, () => storedAnswerOf(0).key);
    this.requests = new Map(keys.map((key) => [key, requestsOfKey()]));
  }

  get keys(): RecordKey[] {
    return [...this.requests.keys()];
  }

  get allRequests(): string[] {
    return [...this.requests.values()].flat();
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  isIn(hundred: number): boolean {
    return this.below(100) < hundred;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  someKeys(): RecordKey[] {
    return [...new Set(Array.from({ length: 1 + this.below(5) }, () => this.pick(this.keys)))];
  }

  /** A change that is usually applied. */
  change(key: RecordKey, now: number, isAll: boolean): Change {
    const expect = this.expectation(key);
    const rev = (expect?.rev ?? this.below(5)) + 1 + (this.isIn(10) ? this.below(1e6) : 0);
    const own = this.requests.get(key) ?? [];
    const some = () => [this.pick(own), this.pick(own)];
    const later = () => NEVER + this.below(1_000);
    const storedAnswer = (request: string) => ({
      ...storedAnswerOf(this.pick(TEXTS), later()),
      key: request,
    });
    const extension = () => ({ keys: some(), expiresAt: later() });
    const event = key.kind === 'counter' ? counterEventOf : eventOf;
    const asks = this.testsAnswers && !isAll && this.isIn(30);
    return {
      key,
      expect,
      clock: this.window(now),
      writer: newWriter(),
      rev,
      head: this.pick(TEXTS),
      queue: expect && this.isIn(50) ? null : this.pick(QUEUES),
      events: Array.from({ length: this.below(3) }, () => event(rev, this.pick(TEXTS))),
      storedAnswers: this.isIn(35) ? some().map(storedAnswer) : [],
      extensions: this.isIn(30) ? [extension(), extension()] : [],
      ...(asks && { unanswered: [this.pick(own), storedAnswerOf(0).key] }),
    };
  }

  obsolete(key: RecordKey, now: number): ObsoleteRecord {
    const { rev = 1, writer = newWriter() } = this.model.record(key) ?? {};
    const notBefore = this.pick([0, now - MINUTE, now + MINUTE]);
    return { key, rev, writer: this.isIn(20) ? newWriter() : writer, notBefore };
  }

  private expectation(key: RecordKey): Change['expect'] {
    const found = this.model.record(key);
    const { rev = 0, writer = newWriter() } = found ?? {};
    if (this.isIn(8)) return { rev: rev + 1, writer };
    if (this.isIn(6)) return { rev, writer: newWriter() };
    return found && !this.isIn(6) ? { rev, writer } : null;
  }

  private window(now: number): Change['clock'] {
    const [past, ahead] = this.pick([
      ...Array.from({ length: 5 }, () => [0, Number.POSITIVE_INFINITY]),
      [now - MINUTE, now + 10 * MINUTE],
      [0, now + 10 * MINUTE],
      [now - MINUTE, Number.POSITIVE_INFINITY],
      [0, now - MINUTE],
      [now + 10 * MINUTE, now + 11 * MINUTE],
    ]);
    return { past: past as number, ahead: ahead as number };
  }
}

async function takeStep(suite: ContractSuite, steps: RandomSteps): Promise<void> {
  const { model } = steps;
  const store = steps.isIn(70) ? suite.store : suite.other;
  const now = await suite.now();
  const keys = steps.someKeys();
  if (steps.isIn(12)) {
    const records = keys.map((key) => steps.obsolete(key, now));
    const deleted = records.map((record) => model.delete(record, now));
    expect(await store.deleteRecords(records)).toEqual(deleted);
    return;
  }
  const isAll = steps.isIn(20);
  const changes = keys.map((key) => steps.change(key, now, isAll));
  const may = changes.map((change) => model.mayApply(change, now));
  const applied = isAll ? may.map(() => may.every(Boolean)) : may;
  const results = await (isAll ? store.swapAll(changes) : store.swap(changes));
  expect(results.map((result) => result.applied)).toEqual(applied);
  for (const [i, change] of changes.entries()) {
    if (applied[i]) model.apply(change);
    const record = model.record(change.key);
    expect(results[i]?.current).toEqual(record && { rev: record.rev, writer: record.writer });
    if (results[i]?.found) expect(results[i]?.found).toEqual(record);
  }
}

async function compare(store: ContractSuite['store'], steps: RandomSteps): Promise<void> {
  const { keys, model } = steps;
  const { records, storedAnswers } = await store.read(keys, steps.allRequests);
  expect(records.map(({ record }) => record)).toEqual(keys.map((key) => model.record(key)));
  expect(new Map(storedAnswers.map((one) => [one.key, one]))).toEqual(model.answers);
}

contract('random steps of two processes', (suite) => {
  it('have the results of a plain model', { timeout: 120_000 }, async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const steps = new RandomSteps(seeded(seed), suite.can('testsAnswers'));
    const { keys, model } = steps;
    for (let step = 0; step < STEPS; step += 1) {
      await takeStep(suite, steps);
      if (steps.isIn(50)) await compare(steps.pick([suite.store, suite.other]), steps);
    }
    await compare(suite.store, steps);
    await compare(suite.other, steps);
    const commits = new Map<string, number[]>();
    for (const { changes } of await wholeHistory(suite.store)) {
      for (const { key, rev } of changes) {
        const id = recordId(key);
        commits.set(id, [...(commits.get(id) ?? []), rev]);
      }
    }
    for (const id of keys.map(recordId)) expect(commits.get(id)).toEqual(model.commits.get(id));
  });
});

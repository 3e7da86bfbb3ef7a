import type { LockEngine } from '../../../engine/lock-engine';
import { addTo, createCommand, readCounter } from '../../../engine/testing/counter-calls';
import { acquire, pause } from '../../../engine/testing/engine-rig';
import { insist } from '../../../engine/testing/insist';
import type { RecordKey } from '../../record-store';
import { type RecordedAnswer, recordAnswer } from './record-answer';
import type { NewKey } from './server-kind';

const ASK_EVERY_MS = 25;
const LEASE_MS = 60_000;

/**
 * One request: its first answer, and the answer to a later retry with the same request id.
 */
export interface AskedTwice {
  key: RecordKey;
  first: RecordedAnswer;
  again: RecordedAnswer;
}

/**
 * A caller whose every request has an id: each acquires a lock that no other caller wants, or
 * increments a counter.
 */
export class CarefulCaller {
  private readonly counter: RecordKey;
  private readonly asked: { key: RecordKey; first: Promise<RecordedAnswer> }[] = [];
  private readonly added: Promise<RecordedAnswer>[] = [];

  private constructor(
    private readonly here: { engine: LockEngine },
    private readonly newKey: NewKey,
  ) {
    this.counter = newKey('counter');
  }

  static async start(here: { engine: LockEngine }, newKey: NewKey): Promise<CarefulCaller> {
    const caller = new CarefulCaller(here, newKey);
    await insist(() => here.engine.count(caller.counter, createCommand()));
    return caller;
  }

  /** Keeps sending requests, whatever the answers. */
  async live(continues: () => boolean): Promise<void> {
    while (continues()) {
      const key = this.newKey();
      this.asked.push({ key, first: recordAnswer(this.take(key)) });
      this.added.push(recordAnswer(this.add(this.added.length)));
      await pause(ASK_EVERY_MS);
    }
    await this.answered();
  }

  /** The locks that it asked for. */
  keys(): RecordKey[] {
    return this.asked.map(({ key }) => key);
  }

  /** Its first answers, once all of them have arrived. */
  async answered(): Promise<RecordedAnswer[]> {
    return Promise.all([...this.asked.map(({ first }) => first), ...this.added]);
  }

  async takeAgain(): Promise<AskedTwice[]> {
    return Promise.all(
      this.asked.map(async ({ key, first }) => ({
        key,
        first: await first,
        again: await recordAnswer(insist(() => this.take(key))),
      })),
    );
  }

  /** Repeats every addition. Returns the counter's value afterwards, and the expected one. */
  async addAgain(): Promise<{ value: number; expected: number; again: RecordedAnswer[] }> {
    const again = await Promise.all(
      this.added.map((_, i) => recordAnswer(insist(() => this.add(i)))),
    );
    const { value } = await insist(() => readCounter(this.here, this.counter));
    return { value, expected: this.added.length, again };
  }

  private take(key: RecordKey) {
    return acquire(this.here, key, 'careful', { leaseMs: LEASE_MS, requestId: 'take' });
  }

  private add(i: number) {
    return addTo(this.here, this.counter, 1, `add-${i}`);
  }
}

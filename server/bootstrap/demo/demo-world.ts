import type { CounterCommand } from '../../core/counter/counter-command';
import type { CounterRecord } from '../../core/counter/counter-record';
import { decideCounter } from '../../core/counter/decide-counter';
import { decide } from '../../core/lock/decide';
import type { AcquireCommand, AnswerOf, LockCommand } from '../../core/lock/lock-command';
import type { LockRecord } from '../../core/lock/lock-record';
import type { RecordEvent } from '../../core/record-event';
import { type RequestIdentity, requestFingerprint } from '../../core/request-fingerprint';
import { recordId } from '../../storage/record-id';
import type { HistoryRow, RecordKey } from '../../storage/record-store';

const PROCESS = 'demo';
const KEY_CHARS = 22;

/** A lock of the demo's past at one instant. */
export interface DemoLock {
  key: RecordKey;
  record: LockRecord;
}

/**
 * Locks and counters in memory, on a clock of their own, changed by the same decisions as real
 * ones. Their events are collected as a store would keep them.
 */
export class DemoWorld {
  /** Epoch milliseconds. */
  now: number;
  /** All changes with events, in the order in which they happened. */
  readonly changes: HistoryRow['changes'] = [];
  readonly locks = new Map<string, DemoLock>();
  readonly counters = new Map<string, { key: RecordKey; record: CounterRecord }>();
  private readonly callers = new Map<string, AcquireCommand>();
  private requests = 0;

  /**
   * @param epoch the backend's epoch
   * @param onGrant called with the tag of each waiter that is granted its lock, and the token
   */
  constructor(
    from: number,
    private readonly epoch: number,
    private readonly policyOf: (namespace: string) => { queueLimit: number; lockDelayMs: number },
    private readonly onGrant: (tag: string, token: number) => void,
  ) {
    this.now = from;
  }

  newRequest(): RequestIdentity {
    this.requests += 1;
    const key = this.requests
      .toString(36)
      .padStart(KEY_CHARS / 2, '0')
      .padEnd(KEY_CHARS, '0');
    return { key, inputHash: ''.padEnd(KEY_CHARS, '0'), remembered: false };
  }

  lock<C extends LockCommand>(key: RecordKey, command: C): AnswerOf<C> {
    const id = recordId(key);
    const tag = 'request' in command && command.request && requestFingerprint(command.request);
    if (command.verb === 'acquire' && tag) this.callers.set(tag, command);
    const { next, events, answer, handOffs } = decide(this.locks.get(id)?.record ?? null, command, {
      now: this.now,
      epoch: this.epoch,
      process: PROCESS,
      isAlive: () => true,
      callerOf: (waiter) => this.callers.get(waiter.tag) ?? null,
      storedAnswer: null,
      policy: this.policyOf(key.namespace),
    });
    if (next) this.locks.set(id, { key, record: next });
    this.collect(key, next?.rev ?? 0, events);
    const isQueued =
      command.verb === 'acquire' && 'outcome' in answer && answer.outcome === 'queued';
    if (tag && !isQueued) this.callers.delete(tag);
    for (const { tag: served, hold } of handOffs) {
      this.callers.delete(served);
      if (served !== tag) this.onGrant(served, hold.token);
    }
    return answer;
  }

  counter(key: RecordKey, command: CounterCommand): void {
    const id = recordId(key);
    const record = this.counters.get(id)?.record ?? null;
    const { next, events } = decideCounter(record, command, { now: this.now, storedAnswer: null });
    if (next) this.counters.set(id, { key, record: next });
    this.collect(key, next?.rev ?? 0, events);
  }

  counterValue(key: RecordKey): number {
    return this.counters.get(recordId(key))?.record.value ?? 0;
  }

  private collect(key: RecordKey, rev: number, events: RecordEvent[]): void {
    if (events.length > 0) this.changes.push({ key, rev, events });
  }
}

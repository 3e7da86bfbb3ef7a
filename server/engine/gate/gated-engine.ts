import type { CounterAnswerOf, CounterCommand } from '../../core/counter/counter-command';
import type { AcquireCommand, LockCommand } from '../../core/lock/lock-command';
import type { RequestIdentity } from '../../core/request-fingerprint';
import type { RecordKey } from '../../storage/record-store';
import type { LockEngine, MultiLocks, WaitOptions } from '../lock-engine';
import type { CounterGate } from './counter-gate';

/** An engine whose commands on counters pass the gate of their namespace, if it has one. */
export class GatedEngine implements LockEngine {
  readonly backend: string;
  readonly multiLocks: MultiLocks;

  /** @param gateOf the gate in front of a namespace; null: none */
  constructor(
    private readonly engine: LockEngine,
    private readonly gateOf: (namespace: string) => CounterGate | null,
  ) {
    this.backend = engine.backend;
    this.multiLocks = engine.multiLocks;
  }

  count<C extends CounterCommand>(key: RecordKey, command: C): Promise<CounterAnswerOf<C>> {
    const gate = this.gateOf(key.namespace);
    return gate ? gate.count(key, command) : this.engine.count(key, command);
  }

  acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions) {
    return this.engine.acquire(key, ask, wait);
  }

  run<C extends Exclude<LockCommand, AcquireCommand>>(key: RecordKey, command: C) {
    return this.engine.run(key, command);
  }

  cachedLock(key: RecordKey, rev: number) {
    return this.engine.cachedLock(key, rev);
  }

  rememberedAnswer(request: RequestIdentity, keptUntil?: number) {
    return this.engine.rememberedAnswer(request, keptUntil);
  }

  clockAtLeast(key: RecordKey) {
    return this.engine.clockAtLeast(key);
  }

  health() {
    return this.engine.health();
  }

  drain() {
    return this.engine.drain();
  }

  close() {
    return this.engine.close();
  }
}

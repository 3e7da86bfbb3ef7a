import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { GateStore } from '../../storage/redis-gate/gate-store';
import type { LockEngine } from '../lock-engine';
import { CounterGate } from './counter-gate';
import { GatedEngine } from './gated-engine';

export interface CounterGatesOptions {
  /** The ids of the gates that are configured. */
  ids: string[];
  /** Opens a gate's store for the counters of one backend. */
  open: (gate: string, backend: string) => GateStore;
  /** The gate that the policy of a namespace names; null: none. */
  gateIdOf: (namespace: string) => string | null;
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
  /** `answerMaxMs` and `lingerMs` as in `CounterGateOptions`. */
  answerMaxMs?: number;
  lingerMs?: number | undefined;
}

interface Backend {
  engine: LockEngine;
  /** The gates that were opened for it, by their ids. */
  opened: Map<string, CounterGate>;
}

/** The gates of this process: one for each configured Redis and each backend that uses it. */
export class CounterGates {
  readonly ids: readonly string[];
  private readonly backends = new Map<string, Backend>();

  constructor(private readonly options: CounterGatesOptions) {
    this.ids = options.ids;
  }

  /** The engine of a backend with gates in front of its counters. */
  inFrontOf(engine: LockEngine): LockEngine {
    this.backends.set(engine.backend, { engine, opened: new Map() });
    return new GatedEngine(engine, (namespace) => this.of(engine.backend, namespace));
  }

  /** The gate in front of a namespace's counters; null: none, or it is not configured here. */
  of(backend: string, namespace: string): CounterGate | null {
    const id = this.options.gateIdOf(namespace);
    if (id === null) return null;
    const behind = this.backends.get(backend);
    const known = behind?.opened.get(id);
    if (known) return known;
    if (!behind || !this.ids.includes(id)) return null;
    const { open, ...options } = this.options;
    const gate = new CounterGate({
      ...options,
      id,
      store: open(id, backend),
      engine: behind.engine,
    });
    behind.opened.set(id, gate);
    return gate;
  }

  /** The gates that were used since this process started. */
  used(): { backend: string; gate: CounterGate }[] {
    return [...this.backends].flatMap(([backend, { opened }]) =>
      [...opened.values()].map((gate) => ({ backend, gate })),
    );
  }

  close(): void {
    for (const { gate } of this.used()) gate.close();
  }
}

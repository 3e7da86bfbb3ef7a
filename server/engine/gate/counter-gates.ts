import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { GateStore } from '../../storage/redis-gate/gate-store';
import type { LockEngine } from '../lock-engine';
import { CounterGate } from './counter-gate';
import { GatedEngine } from './gated-engine';

export interface CounterGatesOptions {
  /** The ids of the gates that this server has. */
  ids: string[];
  /** Opens a gate's store for the counters of one backend. */
  open: (gate: string, backend: string) => GateStore;
  /** The gate that the policy of a namespace names; null: none. */
  gateIdOf: (namespace: string) => string | null;
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
  /** Both as in `CounterGateOptions`. */
  answerMaxMs?: number;
  companyMs?: number | undefined;
}

/**
 * Every gate of this process: one for each configured Redis and each backend that it is used for.
 */
export class CounterGates {
  readonly ids: readonly string[];
  private readonly engines = new Map<string, LockEngine>();
  private readonly opened = new Map<string, { backend: string; gate: CounterGate }>();

  constructor(private readonly options: CounterGatesOptions) {
    this.ids = options.ids;
  }

  /** The engine of a backend with gates in front of its counters. */
  inFrontOf(engine: LockEngine): LockEngine {
    this.engines.set(engine.backend, engine);
    return new GatedEngine(engine, (namespace) => this.of(engine.backend, namespace));
  }

  /** The gate in front of a namespace's counters; null: none, or not one that this server has. */
  of(backend: string, namespace: string): CounterGate | null {
    const id = this.options.gateIdOf(namespace);
    if (id === null) return null;
    const engine = this.engines.get(backend);
    if (!engine || !this.ids.includes(id)) return null;
    const key = `${id}/${backend}`;
    const known = this.opened.get(key);
    if (known) return known.gate;
    const { open, ...options } = this.options;
    const gate = new CounterGate({ ...options, id, store: open(id, backend), engine });
    this.opened.set(key, { backend, gate });
    return gate;
  }

  /** Those that were used since this process started. */
  used(): { backend: string; gate: CounterGate }[] {
    return [...this.opened.values()];
  }

  close(): void {
    for (const { gate } of this.opened.values()) gate.close();
  }
}

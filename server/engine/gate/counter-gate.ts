import { LockyardError } from '../../contract/errors';
import type { CounterAnswerOf, CounterCommand } from '../../core/counter/counter-command';
import {
  type GateState,
  givesBack,
  isRefusable,
  newsOf,
  type StepsUnderWay,
  stepsOf,
} from '../../core/counter/counter-gate';
import { GATE_FRESH_MS, GATE_LINGER_MS, GATE_STEP_MAX_MS } from '../../core/timing';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { recordId, recordKey } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { GateStore } from '../../storage/redis-gate/gate-store';
import type { LockEngine } from '../lock-engine';
import { GateClient } from './gate-client';
import type { DueRead, GateEntry } from './gate-entry';

/** A step that was announced longer ago is announced again before MySQL is asked. */
const ANNOUNCED_MAX_MS = 1_000;

export interface CounterGateOptions {
  /** Its name in the environment, in lower case. */
  id: string;
  store: GateStore;
  /** The engine of the backend that stores the counters. */
  engine: Pick<LockEngine, 'count'>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
  /** How long a command may wait for the gate; `GATE_ANSWER_MAX_MS` if absent. */
  answerMaxMs?: number | undefined;
  /** How long values to be read again are collected; `GATE_LINGER_MS` if absent. */
  lingerMs?: number | undefined;
}

/** A counter's state at its gate and in MySQL. */
export interface GateComparison {
  /** Null: the gate has no recent state. */
  fast: GateState | null;
  durable: GateState;
}

/** A command that passes the gate. */
interface Step<C extends CounterCommand> {
  key: RecordKey;
  entry: GateEntry;
  command: C;
  steps: StepsUnderWay;
}

/**
 * A gate in front of the counters of one backend. A command passes it once, before MySQL is asked;
 * `core/counter/counter-gate.ts` says what it may refuse and what its estimate guarantees.
 *
 * It never delays a command for longer than `GATE_ANSWER_MAX_MS`. Without its Redis it delays none:
 * then MySQL decides everything.
 */
export class CounterGate {
  readonly id: string;
  readonly client: GateClient;
  private readonly engine: CounterGateOptions['engine'];
  private readonly clock: Clock;
  private readonly lingerMs: number;
  private last: (RecordKey & { entry: GateEntry }) | null = null;
  private due: DueRead[] = [];
  private dueTimer: NodeJS.Timeout | undefined;
  private readonly uncertain = new Set<NodeJS.Timeout>();

  constructor(options: CounterGateOptions) {
    const { id, store, engine, clock, log, answerMaxMs } = options;
    this.id = id;
    this.engine = engine;
    this.clock = clock;
    this.lingerMs = options.lingerMs ?? GATE_LINGER_MS;
    const onReadDue = (due: DueRead[]) => this.readSoon(due);
    this.client = new GateClient(store, () => clock.monotonic(), onReadDue, log, answerMaxMs);
  }

  /** Runs a command or refuses it. Errors as `LockEngine.count`. */
  count<C extends CounterCommand>(key: RecordKey, command: C): Promise<CounterAnswerOf<C>> {
    if (command.verb === 'get' || command.verb === 'create') return this.engine.count(key, command);
    const entry = this.entryOf(key);
    const steps = stepsOf(command);
    const refusable = command.verb === 'add' && isRefusable(command) ? command.delta : null;
    const step = { key, entry, command, steps };
    if (this.client.pass(entry, steps, refusable)) return this.passed(step);
    return new Promise((resolve) => this.ask(step, refusable, resolve));
  }

  /** The entry of a counter; caches the last one, since the next command often needs it again. */
  private entryOf({ namespace, name }: RecordKey): GateEntry {
    const { last } = this;
    if (last?.name === name && last.namespace === namespace && last.entry.isKept) return last.entry;
    const entry = this.client.entryOf(counterId({ namespace, name }));
    this.last = { namespace, name, entry };
    return entry;
  }

  private ask<C extends CounterCommand>(
    step: Step<C>,
    refusable: number | null,
    resolve: (answer: CounterAnswerOf<C> | Promise<CounterAnswerOf<C>>) => void,
  ): void {
    const { entry, steps } = step;
    const askedAt = this.clock.monotonic();
    this.client.ask(entry, steps, refusable, (refusal) => {
      if (refusal) return resolve(refusal as CounterAnswerOf<C>);
      if (this.clock.monotonic() - askedAt < ANNOUNCED_MAX_MS) return resolve(this.passed(step));
      this.client.settle(entry, steps, null);
      this.ask(step, refusable, resolve);
    });
  }

  /** The gate's reply about a counter; null: the gate does not respond. */
  look(key: RecordKey): ReturnType<GateClient['look']> {
    return this.client.look(counterId(key));
  }

  /**
   * Reads a counter from MySQL and sends the gate the result, even if there is no counter.
   *
   * @returns the gate's state before, and MySQL's
   * @throws LockyardError as `LockEngine.count`, and `BACKEND_DOWN` if the gate does not respond
   */
  async reconcile(key: RecordKey): Promise<GateComparison> {
    const id = counterId(key);
    const seen = await this.client.look(id);
    if (!seen) throw gateDown(this.id);
    const durable = await this.read({ id, gateRev: seen.state?.rev ?? null, asOf: seen.now });
    if (!(await this.client.look(id))) throw gateDown(this.id);
    return { fast: seen.state, durable };
  }

  /** Removes deleted counters from the gate. */
  async forget(keys: RecordKey[]): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const seen = await this.client.look(counterId(key));
        if (seen?.state) this.client.tell(counterId(key), { gone: true, gateRev: seen.state.rev });
      }),
    );
  }

  close(): void {
    clearTimeout(this.dueTimer);
    for (const timer of this.uncertain) clearTimeout(timer);
    this.client.close();
  }

  private passed<C extends CounterCommand>(step: Step<C>): Promise<CounterAnswerOf<C>> {
    return this.engine.count(step.key, step.command).then(
      (answer) => this.answered(step, answer),
      (error) => this.failed(step, error),
    );
  }

  private answered<C extends CounterCommand>(
    step: Step<C>,
    answer: CounterAnswerOf<C>,
  ): CounterAnswerOf<C> | Promise<CounterAnswerOf<C>> {
    if (step.command.verb !== 'setBounds') return this.settled(step, answer);
    return this.onceRead(step.entry, () => this.settled(step, answer)).then(() => answer);
  }

  private settled<C extends CounterCommand>(
    { entry, steps }: Step<C>,
    answer: CounterAnswerOf<C>,
  ): CounterAnswerOf<C> | Promise<CounterAnswerOf<C>> {
    const { client } = this;
    const isGiving = givesBack(steps, entry.lastState);
    client.settle(entry, steps, newsOf(answer));
    // The caller's next step, by any process, must find what this one gave back.
    if (isGiving && 'rev' in answer && client.isUp) return client.look(entry.id).then(() => answer);
    return answer;
  }

  private failed({ entry, steps }: Step<CounterCommand>, error: unknown): never {
    if (canStillApply(error)) this.settleLate(entry, steps);
    else this.client.settle(entry, steps, null);
    throw error;
  }

  /**
   * Keeps a step whose outcome is unknown under way as long as it can still be applied, and then
   * until MySQL has been read.
   */
  private settleLate(entry: GateEntry, steps: StepsUnderWay): void {
    const settle = () => this.client.settle(entry, steps, null);
    this.afterMs(GATE_STEP_MAX_MS, () => void this.onceRead(entry, settle));
  }

  /**
   * Settles steps once MySQL has been read, since the gate's state may lack their change. If it
   * cannot be read, they are settled once that state is too old for a refusal.
   */
  private async onceRead(entry: GateEntry, settle: () => unknown): Promise<void> {
    const isRead = await this.readNow(entry.id).catch(() => false);
    if (isRead) await settle();
    else this.afterMs(GATE_FRESH_MS, settle);
  }

  /** Runs work later, unless the gate is closed before. */
  private afterMs(ms: number, work: () => unknown): void {
    const timer = setTimeout(() => {
      this.uncertain.delete(timer);
      work();
    }, ms).unref();
    this.uncertain.add(timer);
  }

  /** Reads counters unknown to the gate immediately, and the others together a little later. */
  private readSoon(due: DueRead[]): void {
    const unknown = due.filter(({ gateRev }) => gateRev === null);
    for (const counter of unknown) void this.readIfPossible(counter);
    this.due.push(...due.filter(({ gateRev }) => gateRev !== null));
    if (this.due.length === 0 || this.dueTimer) return;
    this.dueTimer = setTimeout(() => {
      this.dueTimer = undefined;
      for (const counter of this.due.splice(0)) void this.readIfPossible(counter);
    }, this.lingerMs).unref();
  }

  /** Reads a counter from MySQL. A failed read is not repeated, since another one becomes due. */
  private async readIfPossible(due: DueRead): Promise<void> {
    await this.read(due).catch(() => undefined);
  }

  /** Reads a counter from MySQL and sends the gate the result, even if there is no counter. */
  private async read({ id, gateRev, asOf }: DueRead): Promise<GateState> {
    try {
      const durable = await this.engine.count(recordKey(id), { verb: 'get' });
      const { rev, value, floor, ceiling } = durable;
      this.client.tell(id, { rev, value, reading: { floor, ceiling, asOf, gateRev } });
      return durable;
    } catch (error) {
      const isGone = error instanceof LockyardError && error.reason === 'NOT_FOUND';
      if (isGone && gateRev !== null) this.client.tell(id, { gone: true, gateRev });
      throw error;
    }
  }

  /** Reads a counter from MySQL as `read`. False: the gate does not respond. */
  private async readNow(id: string): Promise<boolean> {
    const seen = await this.client.look(id);
    if (seen) await this.read({ id, gateRev: seen.state?.rev ?? null, asOf: seen.now });
    return seen !== null;
  }
}

const counterId = ({ namespace, name }: RecordKey) =>
  recordId({ namespace, name, kind: 'counter' });

/** Whether a failed step may be applied yet. Any other refusal says that nothing was applied. */
function canStillApply(error: unknown): boolean {
  if (!(error instanceof LockyardError)) return true;
  return error.reason === 'UNKNOWN' || error.reason === 'INTERNAL';
}

function gateDown(id: string): LockyardError {
  const text = `The gate "${id}" is not responding. Nothing was changed.`;
  return new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
}

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
import { GATE_COMPANY_MS, GATE_STEP_MAX_MS } from '../../core/timing';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { recordId, recordKey } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { GateStore } from '../../storage/redis-gate/gate-store';
import type { LockEngine } from '../lock-engine';
import type { DueRead, GateEntry } from './gate-entry';
import { GateLine } from './gate-line';

/** A step that was announced longer ago is announced again before MySQL is asked. */
const ANNOUNCED_MAX_MS = 1_000;

export interface CounterGateOptions {
  /** As the environment names it. */
  id: string;
  store: GateStore;
  /** The engine of the backend that stores the counters. */
  engine: Pick<LockEngine, 'count'>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
  /** How long a command may wait for the gate; `GATE_ANSWER_MAX_MS` if absent. */
  answerMaxMs?: number | undefined;
  /** How long values to be read again wait for company; `GATE_COMPANY_MS` if absent. */
  companyMs?: number | undefined;
}

/** A counter as its gate and MySQL have it. */
export interface GateComparison {
  /** Null: the gate knows nothing recent of it. */
  fast: GateState | null;
  durable: GateState;
}

/** A command on its way through the gate. */
interface Step<C extends CounterCommand> {
  key: RecordKey;
  entry: GateEntry;
  command: C;
  steps: StepsUnderWay;
}

/**
 * A gate in front of the counters of one backend. A command passes it once, before MySQL is asked;
 * `core/counter/counter-gate.ts` says what it may refuse and what its estimate promises.
 *
 * It never delays a command for longer than `GATE_ANSWER_MAX_MS`, and without its Redis it delays
 * none: MySQL decides everything then.
 */
export class CounterGate {
  readonly id: string;
  readonly line: GateLine;
  private readonly engine: CounterGateOptions['engine'];
  private readonly clock: Clock;
  private readonly companyMs: number;
  private last: (RecordKey & { entry: GateEntry }) | null = null;
  private due: DueRead[] = [];
  private dueTimer: NodeJS.Timeout | undefined;
  private readonly uncertain = new Set<NodeJS.Timeout>();

  constructor(options: CounterGateOptions) {
    const { id, store, engine, clock, log, answerMaxMs } = options;
    this.id = id;
    this.engine = engine;
    this.clock = clock;
    this.companyMs = options.companyMs ?? GATE_COMPANY_MS;
    const onReadDue = (due: DueRead[]) => this.readSoon(due);
    this.line = new GateLine(store, () => clock.monotonic(), onReadDue, log, answerMaxMs);
  }

  /** Runs a command, or refuses it. Errors as `LockEngine.count`. */
  count<C extends CounterCommand>(key: RecordKey, command: C): Promise<CounterAnswerOf<C>> {
    if (command.verb === 'get' || command.verb === 'create') return this.engine.count(key, command);
    const entry = this.entryOf(key);
    const steps = stepsOf(command);
    const refusable = command.verb === 'add' && isRefusable(command) ? command.delta : null;
    const step = { key, entry, command, steps };
    if (this.line.pass(entry, steps, refusable)) return this.passed(step);
    return new Promise((resolve) => this.ask(step, refusable, resolve));
  }

  /** Remembers the last entry: often the next command is on the same counter. */
  private entryOf({ namespace, name }: RecordKey): GateEntry {
    const { last } = this;
    if (last?.name === name && last.namespace === namespace && last.entry.isKept) return last.entry;
    const entry = this.line.entryOf(counterId({ namespace, name }));
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
    this.line.ask(entry, steps, refusable, (refusal) => {
      if (refusal) return resolve(refusal as CounterAnswerOf<C>);
      if (this.clock.monotonic() - askedAt < ANNOUNCED_MAX_MS) return resolve(this.passed(step));
      this.line.settle(entry, steps, null);
      this.ask(step, refusable, resolve);
    });
  }

  /** The gate's reply about a counter. Null: the gate does not answer. */
  look(key: RecordKey): ReturnType<GateLine['look']> {
    return this.line.look(counterId(key));
  }

  /**
   * Reads a counter from MySQL and sends the gate what it finds, also that there is no counter.
   *
   * @returns the counter as the gate had it before, and as MySQL has it
   * @throws LockyardError as `LockEngine.count`, and `BACKEND_DOWN` if the gate does not answer
   */
  async reconcile(key: RecordKey): Promise<GateComparison> {
    const id = counterId(key);
    const seen = await this.line.look(id);
    if (!seen) throw gateDown(this.id);
    const durable = await this.read({ id, over: seen.state?.rev ?? null, asOf: seen.now });
    if (!(await this.line.look(id))) throw gateDown(this.id);
    return { fast: seen.state, durable };
  }

  /** Lets the gate forget counters that were deleted. */
  async forget(keys: RecordKey[]): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const seen = await this.line.look(counterId(key));
        if (seen?.state) this.line.tell(counterId(key), { gone: true, over: seen.state.rev });
      }),
    );
  }

  close(): void {
    clearTimeout(this.dueTimer);
    for (const timer of this.uncertain) clearTimeout(timer);
    this.line.close();
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
    const read = this.readNow(step.entry.id).catch(() => undefined);
    return read.then(() => this.settled(step, answer));
  }

  private settled<C extends CounterCommand>(
    { entry, steps }: Step<C>,
    answer: CounterAnswerOf<C>,
  ): CounterAnswerOf<C> | Promise<CounterAnswerOf<C>> {
    const { line } = this;
    const isGiving = givesBack(steps, entry.lastState);
    line.settle(entry, steps, newsOf(answer));
    // The caller's next step, wherever it goes, must find what this one gave back.
    if (isGiving && 'rev' in answer && line.isUp) return line.look(entry.id).then(() => answer);
    return answer;
  }

  private failed({ entry, steps }: Step<CounterCommand>, error: unknown): never {
    if (mayLandYet(error)) this.settleLate(entry, steps);
    else this.line.settle(entry, steps, null);
    throw error;
  }

  /**
   * A step whose outcome is unknown stays under way for as long as it could still land, and until
   * MySQL was read after that: the gate's value may lack what it did.
   */
  private settleLate(entry: GateEntry, steps: StepsUnderWay): void {
    const timer = setTimeout(async () => {
      this.uncertain.delete(timer);
      await this.readNow(entry.id).catch(() => undefined);
      this.line.settle(entry, steps, null);
    }, GATE_STEP_MAX_MS).unref();
    this.uncertain.add(timer);
  }

  /** Reads counters that the gate does not know at once, the others together a little later. */
  private readSoon(due: DueRead[]): void {
    const unknown = due.filter(({ over }) => over === null);
    for (const each of unknown) void this.readIfPossible(each);
    this.due.push(...due.filter(({ over }) => over !== null));
    if (this.due.length === 0 || this.dueTimer) return;
    this.dueTimer = setTimeout(() => {
      this.dueTimer = undefined;
      for (const each of this.due.splice(0)) void this.readIfPossible(each);
    }, this.companyMs).unref();
  }

  /** A read that fails is not repeated: another one will be due. */
  private async readIfPossible(due: DueRead): Promise<void> {
    await this.read(due).catch(() => undefined);
  }

  /** Reads a counter from MySQL and sends the gate what it finds, also that there is no counter. */
  private async read({ id, over, asOf }: DueRead): Promise<GateState> {
    try {
      const durable = await this.engine.count(recordKey(id), { verb: 'get' });
      const { rev, value, floor, ceiling } = durable;
      this.line.tell(id, { rev, value, reading: { floor, ceiling, asOf, over } });
      return durable;
    } catch (error) {
      const isGone = error instanceof LockyardError && error.reason === 'NOT_FOUND';
      if (isGone && over !== null) this.line.tell(id, { gone: true, over });
      throw error;
    }
  }

  private async readNow(id: string): Promise<void> {
    const seen = await this.line.look(id);
    if (seen) await this.read({ id, over: seen.state?.rev ?? null, asOf: seen.now });
  }
}

const counterId = ({ namespace, name }: RecordKey) =>
  recordId({ namespace, name, kind: 'counter' });

/** Every other refusal says that nothing was applied. */
function mayLandYet(error: unknown): boolean {
  if (!(error instanceof LockyardError)) return true;
  return error.reason === 'UNKNOWN' || error.reason === 'INTERNAL';
}

function gateDown(id: string): LockyardError {
  const text = `The gate "${id}" is not responding. Nothing was changed.`;
  return new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
}

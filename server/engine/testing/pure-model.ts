import { LockyardError } from '../../contract/errors';
import type { CounterCommand } from '../../core/counter/counter-command';
import { decideCounter } from '../../core/counter/decide-counter';
import type { DecidingPolicy, Decision, IdempotencyRecord } from '../../core/decision';
import { decide } from '../../core/lock/decide';
import type { LockCommand } from '../../core/lock/lock-command';
import { decideMultiLock } from '../../core/multi-lock/decide-multi-lock';
import { type MultiLockCommand, namesOf } from '../../core/multi-lock/multi-lock-command';
import type { RecordEvent } from '../../core/record-event';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { idempotencyKey } from '../pending-command';
import type { AnyRecord } from '../record-type';

/**
 * The outcome of commands: the caller's final answer, and the state of all records they concern.
 */
export interface Prediction {
  /** The answer, or the reason of a refusal. */
  answered: unknown;
  /** By the record's id; null: there is no record. */
  records: Map<string, AnyRecord | null>;
  /** Stored answers by request key. */
  storedAnswers: Map<string, IdempotencyRecord>;
  /** New events by the record's id. */
  events: Map<string, RecordEvent[]>;
}

type Change = Pick<
  Decision<unknown, AnyRecord, RecordEvent>,
  'storedAnswers' | 'extensions' | 'events'
> & {
  next: AnyRecord | null;
};

interface ModelRules {
  policy: DecidingPolicy;
  /** The process that decides; all others are dead. */
  process: string;
  /**
   * The shard on which a backend stores a record: locks on different ones form no multi-lock.
   */
  homeOf: (key: RecordKey) => number;
}

/** Locks and counters as plain values in memory, without encoding or store, for one process. */
export class PureModel {
  private constructor(
    private readonly rules: ModelRules,
    private readonly records: ReadonlyMap<string, AnyRecord | null>,
    private readonly storedAnswers: ReadonlyMap<string, IdempotencyRecord>,
  ) {}

  static empty(rules: ModelRules): PureModel {
    return new PureModel(rules, new Map(), new Map());
  }

  has(key: RecordKey): boolean {
    return (this.records.get(recordId(key)) ?? null) !== null;
  }

  /** The tickets of a lock's waiters. */
  ticketsOf(key: RecordKey): number[] {
    const record = this.records.get(recordId(key));
    return record && 'queue' in record ? record.queue.map(({ ticket }) => ticket) : [];
  }

  /** The model after this outcome. */
  after({ records, storedAnswers }: Pick<Prediction, 'records' | 'storedAnswers'>): PureModel {
    const all = new Map([...this.records, ...records]);
    return new PureModel(this.rules, all, new Map([...this.storedAnswers, ...storedAnswers]));
  }

  /** The same records with another deciding process, since the one before is dead. */
  withProcess(process: string): PureModel {
    return new PureModel({ ...this.rules, process }, this.records, this.storedAnswers);
  }

  /**
   * The outcome of commands on one record, run one after another at the same instant.
   *
   * @param lastAt when the last of them is run
   */
  predict(
    key: RecordKey,
    commands: (LockCommand | CounterCommand)[],
    now: number,
    lastAt = now,
  ): Prediction {
    let prediction: Prediction | null = null;
    let model: PureModel = this;
    for (const [i, command] of commands.entries()) {
      const next = model.predictOne(key, command, i === commands.length - 1 ? lastAt : now);
      model = model.after(next);
      prediction = prediction ? append(prediction, next) : next;
    }
    if (!prediction) throw new Error('There is no command to predict.');
    return prediction;
  }

  predictMultiLock(namespace: string, command: MultiLockCommand, now: number): Prediction {
    const idOf = (name: string) => recordId({ namespace, name });
    const names = namesOf(command);
    const records = new Map(names.map((name) => [name, this.records.get(idOf(name)) ?? null]));
    const context = this.contextOf(command.request.key, now);
    return this.prediction(names.map(idOf), command.request.key, () => {
      const homes = new Set(names.map((name) => this.rules.homeOf({ namespace, name })));
      if (homes.size > 1) throw new LockyardError('UNSUPPORTED', 'Nothing was changed.');
      const { answer, changes } = decideMultiLock(records as never, command, context);
      return { answered: answer, changes: changes.map((each) => [idOf(each.name), each.decision]) };
    });
  }

  private predictOne(
    key: RecordKey,
    command: LockCommand | CounterCommand,
    now: number,
  ): Prediction {
    const id = recordId(key);
    const record = this.records.get(id) ?? null;
    const context = this.contextOf(idempotencyKey(command), now);
    const requestKey = ('request' in command && command.request?.key) || null;
    return this.prediction([id], requestKey, () => {
      // The key of a counter implies a counter's command and record.
      const decision =
        key.kind === 'counter'
          ? decideCounter(record as never, command as CounterCommand, context)
          : decide(record as never, command as LockCommand, context);
      return { answered: decision.answer, changes: [[id, decision]] };
    });
  }

  private contextOf(requestKey: string | null, now: number) {
    const { policy, process } = this.rules;
    const storedAnswer = this.storedAnswers.get(requestKey ?? '') ?? null;
    const isAlive = (other: string) => other === process;
    return { now, epoch: 1, process, policy, isAlive, callerOf: () => null, storedAnswer };
  }

  private prediction(
    ids: string[],
    requestKey: string | null,
    work: () => { answered: unknown; changes: [string, Change][] },
  ): Prediction {
    const records = new Map(ids.map((id) => [id, this.records.get(id) ?? null]));
    const storedAnswers = new Map<string, IdempotencyRecord>();
    const events = new Map<string, RecordEvent[]>();
    const storedAnswer = this.storedAnswers.get(requestKey ?? '');
    if (storedAnswer) storedAnswers.set(storedAnswer.key, storedAnswer);
    let answered: unknown;
    try {
      const { answered: answer, changes } = work();
      answered = answer;
      for (const [id, { next, events: recorded, storedAnswers: made, extensions }] of changes) {
        if (!next) continue;
        records.set(id, next);
        if (recorded.length > 0) events.set(id, recorded);
        for (const storedAnswer of made) storedAnswers.set(storedAnswer.key, storedAnswer);
        for (const { keys, expiresAt } of extensions) {
          for (const key of keys) this.extendAnswer(storedAnswers, key, expiresAt);
        }
      }
    } catch (error) {
      if (!(error instanceof LockyardError)) throw error;
      answered = error.reason;
    }
    return { answered, records, storedAnswers, events };
  }

  private extendAnswer(
    storedAnswers: Map<string, IdempotencyRecord>,
    key: string,
    expiresAt: number,
  ): void {
    const storedAnswer = storedAnswers.get(key) ?? this.storedAnswers.get(key);
    if (storedAnswer)
      storedAnswers.set(key, {
        ...storedAnswer,
        expiresAt: Math.max(storedAnswer.expiresAt, expiresAt),
      });
  }
}

function append(first: Prediction, then: Prediction): Prediction {
  const events = new Map(first.events);
  for (const [id, more] of then.events) events.set(id, [...(events.get(id) ?? []), ...more]);
  return {
    answered: then.answered,
    records: new Map([...first.records, ...then.records]),
    storedAnswers: new Map([...first.storedAnswers, ...then.storedAnswers]),
    events,
  };
}

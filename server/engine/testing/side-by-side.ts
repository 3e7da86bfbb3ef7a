import { recordId } from '../../backends/record-id';
import type { RecordKey } from '../../backends/record-store';
import { can, type Store, type StoreName } from '../../backends/testing/stores-under-test';
import { LockyardError } from '../../domain/errors';
import type { RecordEvent } from '../../domain/record-event';
import { namesOf } from '../../domain/set-command';
import { type AnyRecord, machineOf } from '../machine';
import { newWriter } from '../new-writer';
import { contradiction } from './contradiction';
import { EngineRig, type Member, pause } from './engine-rig';
import { type ModelStep, nextStep, SHORT_LEASE_MS } from './model-step';
import { type Consequence, PureModel } from './pure-model';
import { seeded } from './random-campaign';

type Act = Exclude<ModelStep, { kind: 'pass' | 'die' }>;

const NAMESPACE = 'model';
const POLICY = { queueLimit: 3, lockDelayMs: 300 };

/** A step that took longer says nothing: a lease may have been too far gone when it was granted. */
const SLOW_MS = 250;

/** The engine may decide with a lower bound of the store's clock. */
const CLOCK_SLACK_MS = 20;
/** The same over a store whose reads tell no more than a lower bound either. */
const BOUND_SLACK_MS = 200;

/** When a process is dead for all others. */
const DEATH_MS = 1_700;

export interface Comparison {
  steps: number;
  /** Steps in which time made another answer right while they ran: they prove nothing, and their locks were left. */
  open: number;
  /** What was told, and how often. */
  told: Map<string, number>;
  /** The first step that the two disagreed on, and how; null where there was none. */
  disagreement: string | null;
}

export interface PlayOptions {
  store: StoreName;
  seed: number;
  steps: number;
  /** A store with a fault, in place of the real one. */
  spoil?: (store: Store) => Store;
}

/**
 * Plays random commands, one after another, on a real engine over a real store and on the pure model, and compares after
 * each what was told, the records, the remembered answers and the history.
 *
 * What may differ: instants and spans, by as much as the store's clock moved during the step and a little more, and
 * the first rev and token of a record, which are drawn from the clock. Then the model takes over the store's own, so
 * that nothing adds up.
 */
export async function playSideBySide(options: PlayOptions): Promise<Comparison> {
  const rig = await EngineRig.open(options.store);
  try {
    return await (await Play.begin(rig, options)).run();
  } finally {
    await rig.close();
  }
}

class Play {
  private readonly random: () => number;
  private readonly locks = [0, 1, 2].map(freshName);
  private readonly counters = [0, 1].map(freshName);
  private readonly grants = new Map<string, { service: string; owner: string; token: number }[]>();
  private readonly comparison: Comparison = {
    steps: 0,
    open: 0,
    told: new Map(),
    disagreement: null,
  };
  private position = 0;

  private constructor(
    private readonly rig: EngineRig,
    private readonly options: PlayOptions,
    private member: Member,
    private model: PureModel,
  ) {
    this.random = seeded(options.seed);
  }

  static async begin(rig: EngineRig, options: PlayOptions): Promise<Play> {
    rig.policies.set(NAMESPACE, POLICY);
    const member = await join(rig, options);
    return new Play(rig, options, member, PureModel.empty(POLICY, member.process));
  }

  async run(): Promise<Comparison> {
    const { comparison, options } = this;
    while (comparison.steps < options.steps && comparison.disagreement === null) {
      const step = nextStep(this.random, {
        locks: this.locks,
        counters: this.counters,
        granted: (lock) => this.grants.get(this.locks[lock] ?? '') ?? [],
      });
      comparison.steps += 1;
      const found = await this.play(step);
      if (found) {
        comparison.disagreement = `step ${comparison.steps}, ${JSON.stringify(step)}: ${found}`;
      }
    }
    return comparison;
  }

  private async play(step: ModelStep): Promise<string | null> {
    if (step.kind === 'pass') return this.pass(step.span);
    if (step.kind === 'die') return this.die();
    const before = await this.now();
    const told = await this.tell(step);
    const after = await this.now();
    const foreseen = this.foresee(step, before);
    // What is left of a lease is measured from before the read: the way there counts twice.
    const clockSlackMs = can(this.options.store, 'readsClock') ? CLOCK_SLACK_MS : BOUND_SLACK_MS;
    const isBorn = this.keysOf(step).some((key) => !this.model.has(key));
    const may = { slackMs: 2 * Math.abs(after - before) + clockSlackMs, isBorn, now: after };
    const isSame = (there: Consequence[]) =>
      there.every((each, i) => contradiction(foreseen[i] ?? each, each, may) === null);
    // Where time decides while the step runs, both answers are right.
    const isOpen =
      Math.abs(after - before) > SLOW_MS ||
      !isSame(this.foresee(step, after + clockSlackMs)) ||
      !isSame(this.foresee(step, before - clockSlackMs));
    const real = await this.realConsequence(step, told, foreseen);
    if (isOpen) return this.leave(step);
    this.count(step, told);
    this.model = this.model.after(real);
    const found = foreseen.map((each) => contradiction(real, each, may));
    return found.includes(null) ? null : (found[0] ?? null);
  }

  /** What the engine's caller is told: an answer, or the reason of a refusal. */
  private async tell(step: Act): Promise<unknown> {
    const { engine } = this.member;
    const wait = { holdRequestMs: 1 };
    const [key] = this.keysOf(step) as [RecordKey];
    const work = (): Promise<unknown> => {
      const { command } = step;
      switch (command.verb) {
        case 'acquire':
          return engine.acquire(key, command, wait);
        case 'acquireSet':
          return engine.sets.acquire(NAMESPACE, command, wait);
        case 'cancelSet':
          return engine.sets.cancel(NAMESPACE, command);
        default:
          return step.kind === 'counter'
            ? engine.count(key, step.command)
            : engine.run(key, command as Parameters<typeof engine.run>[1]);
      }
    };
    try {
      return await work();
    } catch (error) {
      if (error instanceof LockyardError) return error.reason;
      throw error;
    }
  }

  /**
   * All that a step may come to. A request that is queued is held for a moment only, and then its place is kept without
   * it; meanwhile the process may look at its lock, which does what time has made due in a write of its own.
   */
  private foresee(step: Act, now: number): Consequence[] {
    const { model } = this;
    if (step.kind === 'set') return [model.foreseeSet(NAMESPACE, step.command, now)];
    const [key] = this.keysOf(step) as [RecordKey];
    const { command } = step;
    if (command.verb !== 'acquire' || command.waitMs === 0) {
      return [model.foresee(key, [command], now)];
    }
    const settle = { verb: 'settle' } as const;
    const detach = { verb: 'detach', request: command.request } as const;
    return [[command], [settle, command]].map((commands) => {
      const asked = model.foresee(key, commands, now);
      const isQueued = (asked.told as { outcome?: string }).outcome === 'queued';
      return isQueued ? model.foresee(key, [...commands, detach], now) : asked;
    });
  }

  /** What a step came to, as the store has it. */
  private async realConsequence(
    step: Act,
    told: unknown,
    foreseen: Consequence[],
  ): Promise<Consequence> {
    const requestKeys = new Set(foreseen.flatMap(({ memos }) => [...memos.keys()]));
    const { request } = step.command as { request?: { key: string } | null };
    if (request) requestKeys.add(request.key);
    const keys = this.keysOf(step);
    const kept = await this.rig.under.store.read(keys, [...requestKeys]);
    const records = kept.records.map(({ key, record }): [string, AnyRecord | null] => [
      recordId(key),
      record && machineOf(key).decode(record).record,
    ]);
    return {
      told,
      records: new Map(records),
      memos: new Map(kept.memos.map((memo) => [memo.key, memo])),
      events: await this.newHistory(),
    };
  }

  private async newHistory(): Promise<Map<string, RecordEvent[]>> {
    const found = new Map<string, RecordEvent[]>();
    for (const { id, changes } of await this.rig.under.store.historyAfter(this.position, 1_000)) {
      this.position = id;
      for (const { key, events } of changes) {
        const kept = found.get(recordId(key)) ?? [];
        found.set(recordId(key), [...kept, ...events]);
      }
    }
    return found;
  }

  private keysOf(step: Act): RecordKey[] {
    if (step.kind === 'counter') {
      return [{ namespace: NAMESPACE, name: this.counters[step.counter] ?? '', kind: 'counter' }];
    }
    if (step.kind === 'lock') {
      return [{ namespace: NAMESPACE, name: this.locks[step.lock] ?? '' }];
    }
    return namesOf(step.command).map((name) => ({ namespace: NAMESPACE, name }));
  }

  /** Gives the records of a step up for fresh ones: nobody can tell how they had to be. */
  private leave(step: Act): null {
    this.comparison.open += 1;
    if (step.kind === 'counter') this.counters[step.counter] = freshName(step.counter);
    else if (step.kind === 'lock') this.locks[step.lock] = freshName(step.lock);
    else for (const i of this.locks.keys()) this.locks[i] = freshName(i);
    return null;
  }

  private async pass(span: 'little' | 'lease' | 'long'): Promise<null> {
    const ms = { little: 30, lease: SHORT_LEASE_MS + 50, long: 20 * 60_000 }[span];
    await this.elapse(span === 'long' && this.hasOwnClock() ? 0 : ms);
    // The engine's lower bound of the clock falls behind by a share of what passed, until it reads again.
    const key = { namespace: NAMESPACE, name: 'nobody' };
    await this.member.engine.run(key, { verb: 'inspect' });
    return null;
  }

  private async die(): Promise<null> {
    this.member.faults.goAway();
    await this.elapse(DEATH_MS);
    this.member = await join(this.rig, this.options);
    this.model = this.model.under(this.member.process);
    return null;
  }

  private async elapse(ms: number): Promise<void> {
    if (this.hasOwnClock()) await pause(ms);
    else this.rig.passMs(ms);
  }

  private hasOwnClock(): boolean {
    return can(this.options.store, 'ownClock');
  }

  private async now(): Promise<number> {
    const key = { namespace: NAMESPACE, name: 'nobody' };
    const { records } = await this.rig.under.store.read([key], []);
    return records[0]?.now ?? 0;
  }

  private count(step: Act, told: unknown): void {
    const { outcome = 'looked', token } = (told ?? {}) as { outcome?: string; token?: number };
    const said = typeof told === 'string' ? told : outcome;
    const name = `${step.command.verb}: ${said}`;
    this.comparison.told.set(name, (this.comparison.told.get(name) ?? 0) + 1);
    if (step.command.verb !== 'acquire' || step.kind !== 'lock') return;
    if (outcome !== 'granted' || token === undefined) return;
    const { service, owner } = step.command;
    const lock = this.locks[step.lock] ?? '';
    this.grants.set(lock, [{ service, owner, token }, ...(this.grants.get(lock) ?? [])]);
  }
}

const freshName = (i: number) => `${i}-${newWriter()}`;

async function join(rig: EngineRig, { spoil }: PlayOptions): Promise<Member> {
  const store = await rig.under.another();
  return rig.joinWith(spoil?.(store) ?? store);
}

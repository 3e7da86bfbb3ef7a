import { LockyardError } from '../../contract/errors';
import { namesOf } from '../../core/multi-lock/multi-lock-command';
import type { RecordKey } from '../../storage/record-store';
import { newWriter } from '../new-writer';
import { pause } from './engine-rig';
import { insist } from './insist';
import { isReverted } from './is-reverted';
import { type ModelStep, nextStep, SHORT_LEASE_MS } from './model-step';
import type { ModelledBackend, ModelledMember } from './modelled-backend';
import { predictionDifference } from './prediction-difference';
import { type Prediction, PureModel } from './pure-model';
import { seeded } from './seeded';
import { boundsApartMs, stepTime } from './step-time';
import { StoreObserver } from './store-observer';

type CommandStep = Exclude<ModelStep, { kind: 'pass' | 'die' }>;

const NAMESPACE = 'model';
const POLICY = { queueLimit: 3, lockDelayMs: 300 };

/** A process this long silent is dead, also by a bound of the clock that is a second behind. */
const DEATH_MS = 2_500;

/** If a greater share of the steps is left open, more are played: up to so many times as many. */
const [OPEN_SHARE_MAX, LONGER_AT_MOST] = [1 / 4, 4];

export interface Comparison {
  steps: number;
  /**
   * The number of steps during which the right answer changed with time, or the store did not
   * respond: they prove nothing, and their locks were replaced.
   */
  open: number;
  /** How often each answer was given. */
  answers: Map<string, number>;
  /** The first step on which the two disagreed, and how; null: they always agreed. */
  disagreement: string | null;
}

interface PlayOptions {
  open: () => Promise<ModelledBackend>;
  seed: number;
  steps: number;
}

/**
 * Runs random commands, one after another, on a real engine over a real store and on the pure
 * model, and after each compares the answer, the records, the stored answers and the history.
 *
 * Allowed differences: instants and durations, by as much as the store's clock moved during the
 * step and the engine's bounds of it were apart, and the first rev and token of a record, which are
 * drawn from the clock. The model then takes the store's values, so that differences do not add up.
 */
export async function compareWithModel({ open, ...length }: PlayOptions): Promise<Comparison> {
  const backend = await open();
  try {
    return await (await ModelComparison.begin(backend, length)).run();
  } finally {
    await backend.close();
  }
}

class ModelComparison {
  private readonly random: () => number;
  private readonly locks: string[];
  private readonly counters: string[];
  private readonly grants = new Map<string, { service: string; owner: string; token: number }[]>();
  private readonly comparison: Comparison = {
    steps: 0,
    open: 0,
    answers: new Map(),
    disagreement: null,
  };
  private readonly observer: StoreObserver;

  private constructor(
    private readonly backend: ModelledBackend,
    private readonly length: Omit<PlayOptions, 'open'>,
    private member: ModelledMember,
    private model: PureModel,
  ) {
    this.random = seeded(length.seed);
    this.locks = [0, 1, 2].map((i) => this.freshName(i));
    this.counters = [0, 1].map((i) => this.freshName(i, 'counter'));
    this.observer = new StoreObserver(backend, () => [...this.locks, ...this.counters]);
  }

  static async begin(
    backend: ModelledBackend,
    length: Omit<PlayOptions, 'open'>,
  ): Promise<ModelComparison> {
    backend.policies.set(NAMESPACE, POLICY);
    const member = await backend.join();
    const homeOf = (key: RecordKey) => backend.homeOf(key);
    const model = PureModel.empty({ policy: POLICY, process: member.process, homeOf });
    return new ModelComparison(backend, length, member, model);
  }

  async run(): Promise<Comparison> {
    const { comparison, length } = this;
    const isTooOpen = () => comparison.open >= comparison.steps * OPEN_SHARE_MAX;
    const isDone = () => comparison.steps >= length.steps * (isTooOpen() ? LONGER_AT_MOST : 1);
    while (comparison.disagreement === null && !isDone()) {
      const step = nextStep(this.random, {
        locks: this.locks,
        counters: this.counters,
        granted: (lock) => this.grants.get(this.locks[lock] ?? '') ?? [],
        waiting: (lock) =>
          this.model.ticketsOf({ namespace: NAMESPACE, name: this.locks[lock] ?? '' }),
      });
      comparison.steps += 1;
      const found = await this.compareStep(step);
      if (found) {
        comparison.disagreement = `step ${comparison.steps}, ${JSON.stringify(step)}: ${found}`;
      }
    }
    return comparison;
  }

  private async compareStep(step: ModelStep): Promise<string | null> {
    if (step.kind === 'pass') return this.pass(step.span);
    if (step.kind === 'die') return this.die();
    const { engine } = this.member;
    const wasReachable = engine.health().reachable;
    const before = await this.observer.now();
    const apartMs = boundsApartMs(engine);
    const answered = await this.send(step);
    const isReachable = wasReachable && engine.health().reachable;
    const after = await this.observer.now();
    await this.endChecks(step);
    const predicted = this.predict(step, before);
    const real = await this.realOutcome(step, answered, predicted);
    const readAt = await this.observer.now();
    const time = stepTime({ before, after, readAt, apartMs });
    const isCreated = this.keysOf(step).some((key) => !this.model.has(key));
    const may = { slackMs: time.slackMs, isCreated, now: after };
    const apart = { ...may, slackMs: may.slackMs + time.latest - time.earliest };
    const others = [time.earliest, time.latest].map((at) => this.predict(step, at, time.latest));
    const isSame = (there: Prediction[]) =>
      there.every((each, i) => predictionDifference(predicted[i] ?? each, each, apart) === null);
    // If the right answer changes with time during the step or its reads, both answers are right.
    const isOpen =
      time.isVague ||
      !isReachable ||
      [predicted, ...others].flat().some((each) => isReverted(step.command, each)) ||
      !others.every(isSame);
    if (isOpen) return this.abandon(step);
    this.countAnswer(step, answered);
    this.model = this.model.after(real);
    const found = predicted.map((each) => predictionDifference(real, each, may));
    return found.includes(null) ? null : (found[0] ?? null);
  }

  /** Ends the checks that began while a step waited: they could change its lock during another. */
  private async endChecks(step: CommandStep): Promise<void> {
    if (step.command.verb !== 'acquire' || step.command.waitMs === 0) return;
    await this.inspect(this.keysOf(step)[0] as RecordKey);
  }

  /** What the engine's caller receives: an answer, or the reason of a refusal. */
  private async send(step: CommandStep): Promise<unknown> {
    const { engine } = this.member;
    const wait = { holdRequestMs: 1 };
    const [key] = this.keysOf(step) as [RecordKey];
    const work = (): Promise<unknown> => {
      const { command } = step;
      switch (command.verb) {
        case 'acquire':
          return engine.acquire(key, command, wait);
        case 'acquireSet':
          return engine.multiLocks.acquire(NAMESPACE, command, wait);
        case 'cancelSet':
          return engine.multiLocks.cancel(NAMESPACE, command);
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
   * All possible outcomes of a step. A queued request is held only briefly and keeps its place.
   * Before, or until `readAt`, a check can expire and promote what is due in a separate write.
   */
  private predict(step: CommandStep, now: number, readAt = now): Prediction[] {
    const { model } = this;
    if (step.kind === 'set') return [model.predictMultiLock(NAMESPACE, step.command, now)];
    const [key] = this.keysOf(step) as [RecordKey];
    const { command } = step;
    const expire = { verb: 'expireAndPromote' } as const;
    // A read that finds an expired lease writes its end before it answers.
    if (command.verb === 'inspect' || command.verb === 'check') {
      return [[command], [expire, command]].map((all) => model.predict(key, all, now));
    }
    if (command.verb !== 'acquire' || command.waitMs === 0) {
      return [model.predict(key, [command], now)];
    }
    const detach = { verb: 'detach', request: command.request } as const;
    return [[command], [expire, command]].flatMap((commands) => {
      const asked = model.predict(key, commands, now);
      const isQueued = (asked.answered as { outcome?: string }).outcome === 'queued';
      const all = isQueued ? [...commands, detach] : commands;
      const done = isQueued ? model.predict(key, all, now) : asked;
      const checked = model.predict(key, [...all, expire], now, readAt);
      return [done, { ...checked, answered: done.answered }];
    });
  }

  /** The real outcome of a step, as the store has it. */
  private async realOutcome(
    step: CommandStep,
    answered: unknown,
    predicted: Prediction[],
  ): Promise<Prediction> {
    const requestKeys = new Set(predicted.flatMap((one) => [...one.storedAnswers.keys()]));
    const { request } = step.command as { request?: { key: string } | null };
    if (request) requestKeys.add(request.key);
    return { answered, ...(await this.observer.read(this.keysOf(step), [...requestKeys])) };
  }

  private keysOf(step: CommandStep): RecordKey[] {
    if (step.kind === 'counter') {
      return [{ namespace: NAMESPACE, name: this.counters[step.counter] ?? '', kind: 'counter' }];
    }
    if (step.kind === 'lock') {
      return [{ namespace: NAMESPACE, name: this.locks[step.lock] ?? '' }];
    }
    return namesOf(step.command).map((name) => ({ namespace: NAMESPACE, name }));
  }

  /** Replaces the records of a step with fresh ones, since their right state is not known. */
  private abandon(step: CommandStep): null {
    this.comparison.open += 1;
    if (step.kind === 'counter') {
      this.counters[step.counter] = this.freshName(step.counter, 'counter');
    } else {
      const given = step.kind === 'lock' ? [step.lock] : [...this.locks.keys()];
      for (const i of given) this.locks[i] = this.freshName(i);
    }
    return null;
  }

  /** A new name; consecutive places are on different shards. */
  private freshName(place: number, kind?: 'counter'): string {
    const { homeOf, stores } = this.backend;
    for (;;) {
      const name = `${place}-${newWriter()}`;
      const home = homeOf({ namespace: NAMESPACE, name, ...(kind && { kind }) });
      if (home === place % stores.length) return name;
    }
  }

  private async pass(span: 'little' | 'lease' | 'long'): Promise<null> {
    const ms = { little: 30, lease: SHORT_LEASE_MS + 50, long: 20 * 60_000 }[span];
    const hasOwnClock = this.backend.capabilities.includes('ownClock');
    await this.passTime(span === 'long' && hasOwnClock ? 0 : ms);
    // The engine's lower bound of the clock falls behind by a share of the time that passed, until
    // it reads again.
    for (const i of this.backend.stores.keys()) {
      await this.inspect({ namespace: NAMESPACE, name: this.freshName(i) });
    }
    return null;
  }

  private inspect(key: RecordKey): Promise<unknown> {
    return insist(() => this.member.engine.run(key, { verb: 'inspect' }));
  }

  private async die(): Promise<null> {
    this.member.faults.goAway();
    await this.passTime(DEATH_MS);
    this.member = await this.backend.join();
    this.model = this.model.withProcess(this.member.process);
    return null;
  }

  private async passTime(ms: number): Promise<void> {
    if (this.backend.capabilities.includes('ownClock')) await pause(ms);
    else this.backend.passMs(ms);
  }

  private countAnswer(step: CommandStep, answered: unknown): void {
    const { outcome = 'looked', token } = (answered ?? {}) as { outcome?: string; token?: number };
    const said = typeof answered === 'string' ? answered : outcome;
    const name = `${step.command.verb}: ${said}`;
    this.comparison.answers.set(name, (this.comparison.answers.get(name) ?? 0) + 1);
    if (step.command.verb !== 'acquire' || step.kind !== 'lock') return;
    if (outcome !== 'granted' || token === undefined) return;
    const { service, owner } = step.command;
    const lock = this.locks[step.lock] ?? '';
    this.grants.set(lock, [{ service, owner, token }, ...(this.grants.get(lock) ?? [])]);
  }
}

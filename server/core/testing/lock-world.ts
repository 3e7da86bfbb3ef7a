import type { DecidingPolicy, Decision, DecisionContext, IdempotencyRecord } from '../decision';
import { decide } from '../lock/decide';
import type { AcquireCommand, AnswerOf, LockCommand } from '../lock/lock-command';
import type { LockRecord } from '../lock/lock-record';
import { requestFingerprint } from '../request-fingerprint';
import { deepFreeze } from './deep-freeze';

/** A decision and its inputs; it takes effect only once `LockWorld.write` has accepted it. */
export interface Proposal<C extends LockCommand = LockCommand> {
  process: string;
  command: C;
  before: LockRecord | null;
  context: DecisionContext;
  /** The callers that were connected when it was decided: `process tag`. */
  connected: ReadonlySet<string>;
  decision: Decision<AnswerOf<C>>;
}

/** A proposal that was written, and when, on the store's clock. */
export interface Written extends Proposal {
  after: LockRecord;
  writtenAt: number;
}

/** The instant at which each test begins. */
export const START_AT = Date.UTC(2026, 0, 1);

/**
 * One lock on one store, with any number of named processes. It reads, decides and writes as a
 * store and an engine do, on a clock that only the test moves. Everything passed to `decide` is
 * frozen.
 */
export class LockWorld {
  now = START_AT;
  epoch = 1;
  policy: DecidingPolicy = { queueLimit: 200, lockDelayMs: 0 };
  record: LockRecord | null = null;
  readonly storedAnswers = new Map<string, IdempotencyRecord>();
  private setForwardAt = 0;
  private readonly deadFrom = new Map<string, number>();
  /** Called after each accepted write. */
  onWrite: (written: Written) => void = () => {};
  private readonly callers = new Map<string, AcquireCommand>();

  /** Decides and writes immediately, for a caller that stays connected while it is queued. */
  run<C extends LockCommand>(command: C, process = 'p1'): AnswerOf<C> {
    const proposal = this.propose(command, process);
    if (!this.write(proposal)) throw new Error('A write was refused without a conflict.');
    return proposal.decision.answer;
  }

  /** Decides on the current record. `skewMs`: how far the clock read is ahead of the store's. */
  propose<C extends LockCommand>(command: C, process = 'p1', skewMs = 0): Proposal<C> {
    if (command.verb === 'acquire') this.callers.set(callerKey(process, command), command);
    const context = this.contextOf(command, process, this.now + skewMs);
    const before = this.record;
    const connected = new Set(this.callers.keys());
    const decision = decide(before, deepFreeze(command), context);
    return { process, command, before, context, connected, decision };
  }

  /** A store's swap: accepts the change if the record is the expected one and the clock agrees. */
  write(proposal: Proposal): boolean {
    const { decision, before } = proposal;
    const { next, expect } = decision;
    if (next !== null) {
      if (this.record !== before || this.now < expect.past || this.now >= expect.ahead)
        return false;
      if (decision.events.length === 0) throw new Error('A change without an event.');
      this.record = deepFreeze(next);
      for (const one of decision.storedAnswers) {
        this.storedAnswers.set(one.key, asStored(one));
      }
      for (const { keys, expiresAt } of decision.extensions) this.keepAnswers(keys, expiresAt);
    }
    this.updateCallers(proposal);
    if (next !== null) this.onWrite({ ...proposal, after: next, writtenAt: this.now });
    return true;
  }

  /** Moves the store's clock. */
  pass(ms: number): void {
    this.now += ms;
  }

  /** Sets the store's clock forward; all processes notice that. */
  setForward(ms: number): void {
    this.now += ms;
    this.setForwardAt = this.now;
  }

  /**
   * Kills a process together with its callers. The others notice `knownAfterMs` later.
   */
  kill(process: string, knownAfterMs = 0): void {
    const noticedAt = this.deadFrom.get(process) ?? Number.POSITIVE_INFINITY;
    this.deadFrom.set(process, Math.min(noticedAt, this.now + knownAfterMs));
    this.hangUp(process);
  }

  /** Whether a process was killed, even if the others have not noticed. */
  isKilled(process: string): boolean {
    return this.deadFrom.has(process);
  }

  /** Disconnects the callers of a process without a cancel. */
  hangUp(process: string): void {
    for (const key of this.callers.keys()) {
      if (key.startsWith(`${process} `)) this.callers.delete(key);
    }
  }

  /** What the caller of a queued acquire asked for, if it is connected to this process. */
  callerAt(process: string, tag: string): AcquireCommand | null {
    return this.callers.get(`${process} ${tag}`) ?? null;
  }

  private contextOf(command: LockCommand, process: string, now: number): DecisionContext {
    const key = 'request' in command ? command.request?.key : undefined;
    return {
      now,
      epoch: this.epoch,
      process,
      setForwardAt: this.setForwardAt,
      isAlive: (other) => now < (this.deadFrom.get(other) ?? Number.POSITIVE_INFINITY),
      callerOf: (waiter) => this.callerAt(process, waiter.tag),
      storedAnswer: (key !== undefined && this.storedAnswers.get(key)) || null,
      policy: this.policy,
    };
  }

  private keepAnswers(keys: string[], expiresAt: number): void {
    for (const key of keys) {
      const storedAnswer = this.storedAnswers.get(key);
      if (storedAnswer) this.storedAnswers.set(key, { ...storedAnswer, expiresAt });
    }
  }

  /** Disconnects callers that got a final answer. */
  private updateCallers({ command, process, decision }: Proposal): void {
    for (const { tag } of decision.handOffs) this.callers.delete(`${process} ${tag}`);
    if (!('request' in command) || !command.request || command.verb === 'cancel') return;
    const { outcome } = decision.answer as { outcome: string };
    const stays = command.verb === 'acquire' && outcome === 'queued';
    if (!stays) this.callers.delete(`${process} ${requestFingerprint(command.request)}`);
  }
}

/** Stores keep answers as JSON. */
export const asStored = (storedAnswer: IdempotencyRecord): IdempotencyRecord =>
  deepFreeze(JSON.parse(JSON.stringify(storedAnswer)));

function callerKey(process: string, { request }: AcquireCommand): string {
  return `${process} ${requestFingerprint(request)}`;
}

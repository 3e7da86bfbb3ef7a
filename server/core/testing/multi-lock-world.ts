import type { DecidingPolicy, Decision, DecisionContext, IdempotencyRecord } from '../decision';
import { decide } from '../lock/decide';
import type { AcquireCommand, AnswerOf, LockCommand } from '../lock/lock-command';
import type { LockRecord, Waiter } from '../lock/lock-record';
import { decideMultiLock, type MultiLockDecision } from '../multi-lock/decide-multi-lock';
import {
  type AcquireMultiLockCommand,
  type MultiLockAnswer,
  type MultiLockCommand,
  type MultiLockMode,
  memberCommand,
  namesOf,
} from '../multi-lock/multi-lock-command';
import { requestFingerprint } from '../request-fingerprint';
import { deepFreeze } from './deep-freeze';
import { requestOf } from './lock-requests';
import { asStored, START_AT } from './lock-world';

/** Records changed by one write, by name, with their earlier versions. */
export interface Change {
  name: string;
  before: LockRecord | null;
  after: LockRecord;
}

/** A decision on a multi-lock that is not written yet. */
export interface MultiLockProposal {
  command: MultiLockCommand;
  before: Map<string, LockRecord | null>;
  decision: MultiLockDecision;
}

/**
 * How a multi-lock differs from the default: exclusive, a lease of 10 s, no wait, no request id.
 */
export interface MultiLockOptions {
  owner?: string;
  waitMs?: number;
  leaseMs?: number;
  modes?: Record<string, MultiLockMode>;
  requestId?: string;
  input?: string;
  holdAtLeastMs?: number;
}

export function multiLockOf(names: string, parts: MultiLockOptions = {}): AcquireMultiLockCommand {
  const { owner = 'w1', waitMs = 0, leaseMs = 10_000, modes = {}, requestId, input } = parts;
  const locks = [...names].map((name) => ({ name, mode: modes[name] ?? ('exclusive' as const) }));
  const request = requestOf(requestId === undefined ? null : `set ${requestId}`, input ?? names);
  return {
    verb: 'acquireSet',
    service: 'orders',
    owner,
    locks,
    leaseMs,
    waitMs,
    meta: {},
    request,
    ...(parts.holdAtLeastMs === undefined ? {} : { holdAtLeastMs: parts.holdAtLeastMs }),
  };
}

/**
 * Several locks on one store, with any number of named processes, on a clock that only the test
 * moves. The changes of a multi-lock are written all or none. Everything passed to a decision is
 * frozen.
 */
export class MultiLockWorld {
  now = START_AT;
  readonly records = new Map<string, LockRecord>();
  readonly storedAnswers = new Map<string, IdempotencyRecord>();
  policy: DecidingPolicy = { queueLimit: 200, lockDelayMs: 0 };
  onWrite: (changes: Change[]) => void = () => {};
  private readonly dead = new Set<string>();
  /** `process lock tag`. */
  private readonly callers = new Map<string, AcquireCommand>();

  /** Runs a command on one lock, for a caller that stays connected while it is queued. */
  run<C extends LockCommand>(name: string, command: C, process = 'p1'): AnswerOf<C> {
    const before = this.records.get(name) ?? null;
    if (command.verb === 'acquire') this.enter(process, name, command);
    const key = 'request' in command ? command.request?.key : undefined;
    const context = {
      ...this.contextOf(process, key),
      callerOf: (waiter: Waiter) => this.callerAt(process, name, waiter),
    };
    const decision = decide(before, deepFreeze(command), context);
    if (decision.next) this.write([{ name, decision: { ...decision, next: decision.next } }]);
    return decision.answer;
  }

  /** Decides a multi-lock for a connected caller, without writing. */
  propose(command: MultiLockCommand, process = 'p1'): MultiLockProposal {
    const names = namesOf(command);
    if (command.verb === 'acquireSet') {
      for (const { name, mode } of command.locks)
        this.enter(process, name, memberCommand(command, mode));
    }
    const before = new Map(names.map((name) => [name, this.records.get(name) ?? null]));
    const decision = decideMultiLock(before, deepFreeze(command), {
      ...this.contextOf(process, command.request.key),
      callerOf: (name, waiter) => this.callerAt(process, name, waiter),
    });
    return { command, before, decision };
  }

  /**
   * Writes all changes of a multi-lock if every record is the one that was read and every deadline
   * is on the side where it was decided to be.
   */
  finish({ before, decision }: MultiLockProposal): boolean {
    const holds = decision.changes.every(
      ({ name, decision: { expect } }) =>
        (this.records.get(name) ?? null) === before.get(name) &&
        this.now >= expect.past &&
        this.now < expect.ahead,
    );
    if (holds && decision.changes.length > 0) this.write(decision.changes);
    return holds;
  }

  runSet(command: MultiLockCommand, process = 'p1'): MultiLockAnswer {
    const proposal = this.propose(command, process);
    if (!this.finish(proposal)) throw new Error('A write refused though nothing came between.');
    return proposal.decision.answer;
  }

  kill(process: string): void {
    this.dead.add(process);
    for (const key of this.callers.keys()) {
      if (key.startsWith(`${process} `)) this.callers.delete(key);
    }
  }

  hangUp({ request }: AcquireMultiLockCommand): void {
    for (const key of this.callers.keys()) {
      if (key.endsWith(` ${requestFingerprint(request)}`)) this.callers.delete(key);
    }
  }

  /** The waiters of a lock, in order. */
  queueOf(name: string): string[] {
    return this.records.get(name)?.queue.map(({ owner }) => owner) ?? [];
  }

  holdersOf(name: string): string[] {
    return this.records.get(name)?.holds.map(({ owner }) => owner) ?? [];
  }

  private enter(process: string, name: string, ask: AcquireCommand): void {
    this.callers.set(`${process} ${name} ${requestFingerprint(ask.request)}`, ask);
  }

  private callerAt(process: string, name: string, { tag }: Waiter): AcquireCommand | null {
    return this.callers.get(`${process} ${name} ${tag}`) ?? null;
  }

  private contextOf(
    process: string,
    requestKey: string | undefined,
  ): Omit<DecisionContext, 'callerOf'> {
    return {
      now: this.now,
      epoch: 1,
      process,
      isAlive: (other) => !this.dead.has(other),
      storedAnswer: (requestKey !== undefined && this.storedAnswers.get(requestKey)) || null,
      policy: this.policy,
    };
  }

  private write(
    changes: { name: string; decision: Decision<unknown> & { next: LockRecord } }[],
  ): void {
    const written = changes.map(({ name, decision }) => {
      const before = this.records.get(name) ?? null;
      this.records.set(name, deepFreeze(decision.next));
      for (const one of decision.storedAnswers) {
        this.storedAnswers.set(one.key, asStored(one));
      }
      return { name, before, after: decision.next };
    });
    this.onWrite(written);
  }
}

import { LockyardError } from '../../contract/errors';
import type { AcquireCommand, LockCommand } from '../lock/lock-command';
import type { Hold } from '../lock/lock-record';
import type { Carried, OperatorAct, Step } from './campaign-steps';
import { requestOf, revertGrant, setCapacity } from './lock-requests';
import { LockWorld, type Proposal, type Written } from './lock-world';

/** An answer that a caller got. `written`: the change behind it, if there was one. */
export interface Answered {
  proposal: Proposal;
  written: Written | null;
  /** The store's clock when the answer was given. */
  at: number;
}

/** Watches a campaign and throws at the first broken promise. */
export interface Referee {
  onWritten?(written: Written): void;
  onAnswered?(answered: Answered): void;
  onRefused?(command: LockCommand, error: LockyardError): void;
}

/** How long a killed process still counts as alive. */
const UNNOTICED_MS = 1_500;

/** Plays steps on a lock while referees check them. Killed processes take no more steps. */
export class Campaign {
  readonly world = new LockWorld();
  readonly asks: AcquireCommand[] = [];
  readonly grants: Hold[] = [];
  private readonly pending: Proposal[] = [];
  private lastWritten: Written | null = null;

  constructor(private readonly referees: Referee[]) {
    this.world.policy = { queueLimit: 5, lockDelayMs: 0 };
    this.world.onWrite = (written) => this.onWrite(written);
  }

  play(steps: Step[]): this {
    for (const step of steps) this.take(step);
    return this;
  }

  /** Drops decisions that are not written yet. */
  dropPending(): void {
    this.pending.length = 0;
  }

  /** Runs a command immediately and reports it to the referees. */
  run(command: LockCommand, process: string): void {
    this.carryOut(command, { process, fate: 'now', delayMs: 0, skewMs: 0 });
  }

  private take(step: Step): void {
    if (step.act === 'pass') this.world.pass(step.ms);
    else if (step.act === 'kill') this.world.kill(step.process, UNNOTICED_MS);
    else if (step.act === 'setDelay') this.world.policy = { queueLimit: 5, lockDelayMs: step.ms };
    else if (step.act === 'write') this.writeLate(step.nth);
    else if (!this.world.isKilled(step.process)) {
      const command = this.commandOf(step);
      if (command) this.carryOut(command, step);
    }
  }

  private carryOut(command: LockCommand, how: Carried): void {
    const proposal = this.decided(command, how.process, how.skewMs);
    if (!proposal || how.fate === 'never') return;
    if (how.fate === 'slowly') this.world.pass(how.delayMs);
    if (how.fate === 'later') this.pending.push(proposal);
    else this.finish(proposal);
  }

  private decided(command: LockCommand, process: string, skewMs: number): Proposal | null {
    try {
      return this.world.propose(command, process, skewMs);
    } catch (error) {
      // A decision that would break an invariant is a fault, not a refusal that a caller may get.
      if (!(error instanceof LockyardError) || error.reason === 'INTERNAL') throw error;
      for (const referee of this.referees) referee.onRefused?.(command, error);
      return null;
    }
  }

  private writeLate(nth: number): void {
    const [proposal] = this.pending.splice(nth % Math.max(1, this.pending.length), 1);
    if (proposal && !this.world.isKilled(proposal.process)) this.finish(proposal);
  }

  /** An answer without a write is only given if it was decided on the current record and clock. */
  private finish(proposal: Proposal): void {
    this.lastWritten = null;
    if (!this.world.write(proposal)) return;
    const isFresh =
      proposal.before === this.world.record && proposal.context.now === this.world.now;
    if (!this.lastWritten && !isFresh) return;
    const answered = { proposal, written: this.lastWritten, at: this.world.now };
    for (const referee of this.referees) referee.onAnswered?.(answered);
  }

  private onWrite(written: Written): void {
    this.lastWritten = written;
    const known = new Set(written.before?.holds.map(({ token }) => token));
    this.grants.push(...written.after.holds.filter(({ token }) => !known.has(token)));
    for (const referee of this.referees) referee.onWritten?.(written);
  }

  private commandOf(
    step: Exclude<Step, { act: 'pass' | 'setDelay' | 'kill' | 'write' }>,
  ): LockCommand | null {
    switch (step.act) {
      case 'expireAndPromote':
        return { verb: 'expireAndPromote' };
      case 'acquire':
        return this.newAsk(step);
      case 'repeat': {
        const ask = pick(this.asks, step.nth);
        const input = { inputHash: 'anotherInput'.padEnd(22, '_') };
        return ask && step.otherInput ? { ...ask, request: { ...ask.request, ...input } } : ask;
      }
      case 'giveUp':
      case 'detach': {
        const ask = pick(this.asks, step.nth);
        return ask && { verb: step.act, request: ask.request };
      }
      case 'cancel': {
        const ask = pick(this.asks, step.nth);
        if (!ask) return null;
        const { service, owner, request } = ask;
        return { verb: 'cancel', service, owner, request: { ...request, inputHash: '' } };
      }
      case 'freeze':
      case 'unfreeze': {
        const { act: verb, requestId } = step;
        return { verb, by: 'ada', reason: 'a repair', request: requestOf(`${verb} ${requestId}`) };
      }
      case 'setCapacity':
        return setCapacity(this.capacitySeen, step.capacity, step.requestId);
      case 'revertGrant': {
        const hold = pick(this.grants, step.nth);
        return hold && revertGrant(hold.token, step.isNamed ? `${hold.token}` : undefined);
      }
      default:
        return this.actOnHold(step);
    }
  }

  /** The capacity that an operator saw: the present one. */
  private get capacitySeen(): number {
    return this.world.record?.capacity?.inForce ?? 4;
  }

  private newAsk(step: Extract<Step, { act: 'acquire' }>): AcquireCommand {
    const { service, owner, leaseMs, waitMs, mode, reentrant, named } = step;
    const request = requestOf(named ? `ask ${this.asks.length}` : null, 'input');
    const holdAtLeastMs = leaseMs * step.leastShare;
    const { permits, capacity } = step;
    const wanted = mode === 'permit' ? { permits, capacity } : {};
    const asked = { leaseMs, waitMs, mode, ...wanted, reentrant, meta: {}, holdAtLeastMs };
    const nth = this.asks.length;
    const traced = nth % 3 === 0 ? {} : { traceparent: `00-trace ${nth}-span-01` };
    const ask: AcquireCommand = { verb: 'acquire', service, owner, ...asked, ...traced, request };
    this.asks.push(ask);
    return ask;
  }

  private actOnHold(
    step: Extract<Step, { act: 'renew' | 'release' | OperatorAct }>,
  ): LockCommand | null {
    const hold = pick(this.grants, step.nth);
    if (!hold) return null;
    const { token } = hold;
    if ('ms' in step) {
      const facts = { token, by: 'ada', reason: `act ${step.requestId}` };
      const request = requestOf(`${step.act} ${step.requestId}`, `${token} ${step.ms}`);
      if (step.act === 'extend') return { verb: 'extend', extendMs: step.ms, ...facts, request };
      if (step.act === 'reassign') return this.reassignment(facts, step);
      return { verb: step.act, ...facts, request };
    }
    const service = step.by === 'service' ? other(hold.service, 'orders', 'billing') : hold.service;
    const owner = step.by === 'owner' ? other(hold.owner, 'w1', 'w2') : hold.owner;
    const claim = { service, owner, token };
    if (step.act === 'renew') return { verb: 'renew', ...claim, leaseMs: step.leaseMs };
    const id = step.requestId && `release ${service} ${step.requestId}`;
    return { verb: 'release', ...claim, request: id ? requestOf(id, `${owner} ${token}`) : null };
  }

  /** Reassigns usually the current hold, to any present or former waiter. */
  private reassignment(
    facts: { token: number; by: string; reason: string },
    { nth, ms, requestId }: { nth: number; ms: number; requestId: string },
  ): LockCommand {
    const { holds = [], queue = [] } = this.world.record ?? {};
    const token = (ms > 1_000 && holds[0]?.token) || facts.token;
    const ticket = pick(queue, nth)?.ticket ?? 1 + nth;
    const request = requestOf(`reassign ${requestId}`, `${token} ${ticket}`);
    return { verb: 'reassign', ...facts, token, ticket, request };
  }
}

const other = (value: string, a: string, b: string) => (value === a ? b : a);

/** The `nth` newest of a list. */
function pick<T>(list: T[], nth: number): T | null {
  return list.at(-1 - (nth % Math.max(1, list.length))) ?? null;
}

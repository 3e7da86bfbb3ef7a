import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  ExtendAnswer,
  ForceReleaseAnswer,
  ReassignAnswer,
} from '../../contract/console/operator-answers';
import { decide } from '../lock/decide';
import type {
  ExtendCommand,
  ForceReleaseCommand,
  LockCommand,
  ReassignCommand,
} from '../lock/lock-command';
import type { Hold } from '../lock/lock-record';
import { type Answered, Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { HoldLedger, holdsMoved } from '../testing/hold-ledger';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

type Act = ForceReleaseCommand | ReassignCommand | ExtendCommand;
type ActAnswer = ForceReleaseAnswer | ReassignAnswer | ExtendAnswer;

const isAct = (command: LockCommand): command is Act =>
  ['forceRelease', 'reassign', 'extend'].includes(command.verb);

class OperatorReferee implements Referee {
  private readonly ledger = new HoldLedger();
  private readonly done = new Map<string, ActAnswer>();

  onWritten(written: Written): void {
    this.ledger.onWritten(written);
    const acts = written.decision.events.filter(({ kind }) => /forced|extended/.test(kind));
    const { command } = written;
    if (!isAct(command)) {
      expect(acts).toEqual([]);
      return;
    }
    for (const act of acts) {
      const { token, by, reason } = command;
      expect(act).toMatchObject({ token, by, reason });
      expect(this.done.has(command.request.key), 'one act, twice').toBe(false);
    }
  }

  onAnswered(answered: Answered): void {
    const { command } = answered.proposal;
    if (!isAct(command)) return;
    const answer = answered.proposal.decision.answer as ActAnswer;
    const first = this.done.get(command.request.key);
    if (first) {
      expect(answer).toEqual(asOf(answered.proposal.context.now, first));
    } else if (answer.outcome === 'changed' || answer.outcome === 'notReassigned') {
      this.checkUntouched(command, answered);
    } else {
      this.done.set(command.request.key, answer);
      if (command.verb === 'extend') this.checkExtended(command, answered);
      else this.checkForced(command, answered);
      if (command.verb === 'reassign') this.checkReassigned(command, answered);
    }
  }

  private checkUntouched(act: Act, answered: Answered): void {
    const { proposal, written, at } = answered;
    const answer = proposal.decision.answer as ActAnswer;
    const isLive = this.ledger.isLive(act.token, Math.max(at, proposal.context.now));
    const isKept = isLive && this.ledger.entry(act.token).hold.releasedAt !== undefined;
    const isIgnored = act.verb === 'extend' && isKept;
    expect(isLive).toBe(isIgnored || answer.outcome === 'notReassigned');
    expect(answer.rev).toBe(written?.after.rev ?? proposal.before?.rev ?? 0);
    if (!written) return;
    const { changed } = holdsMoved(written.before, written.after);
    expect(changed).toEqual([]);
  }

  /**
   * The chosen waiter, and no other, has the lock or an offer; it has left the queue or keeps it.
   */
  private checkReassigned({ ticket }: ReassignCommand, { written, proposal }: Answered): void {
    if (!written) throw new Error('reassigned, but nothing was written');
    const { before, after } = written;
    const chosen = before?.queue.find((waiter) => waiter.ticket === ticket);
    const { next } = proposal.decision.answer as Extract<ReassignAnswer, { next: unknown }>;
    expect(next).toMatchObject({ owner: chosen?.owner, service: chosen?.service });
    const isOffered = after.offers.some((offer) => offer.ticket === ticket);
    expect(isOffered).toBe(next.kind === 'offered');
    const isQueued = after.queue.some((waiter) => waiter.ticket === ticket);
    expect(isQueued).toBe(next.kind === 'offered');
    const granted = after.holds.find(({ token }) => token === next.token);
    if (next.kind === 'granted') expect(granted?.owner).toBe(chosen?.owner);
  }

  private checkForced(
    { token, by, reason }: ForceReleaseCommand | ReassignCommand,
    { written }: Answered,
  ): void {
    if (!written) throw new Error('forced, but nothing was written');
    const { after, writtenAt, context } = written;
    expect(this.ledger.entry(token).ending).toMatchObject({ cause: 'forced', by, reason });
    expect(onPurpose(written)).toMatchObject([{ token }]);
    const then = { ...context, now: writtenAt };
    expect(decide(after, { verb: 'check', token }, then).answer.valid).toBe(false);
    const { minValidToken } = decide(after, { verb: 'inspect' }, then).answer;
    const { mode } = this.ledger.entry(token).hold;
    if (mode === 'exclusive') expect(minValidToken).toBeGreaterThan(token);
  }

  private checkExtended({ token, extendMs }: ExtendCommand, { written, proposal }: Answered): void {
    if (!written) throw new Error('extended, but nothing was written');
    const { changed } = holdsMoved(written.before, written.after);
    expect(onPurpose(written)).toEqual([]);
    expect(changed).toHaveLength(1);
    const [move] = changed;
    expect(move?.hold.token).toBe(token);
    expect(move?.hold.expiresAt).toBe((move?.was.expiresAt ?? 0) + extendMs);
    expect(proposal.decision.answer).toMatchObject({ expiresAt: move?.hold.expiresAt });
    expect(written.writtenAt).toBeLessThan(move?.was.expiresAt ?? 0);
  }
}

/** An answer as a replay gives it: the rest of a lease is counted from the replay. */
function asOf<A extends ActAnswer>(now: number, first: A): A {
  if (first.outcome !== 'extended') return first;
  return { ...first, expiresInMs: Math.max(0, first.expiresAt - now) };
}

/** The holds that ended other than by time; the same write may also end others that were due. */
function onPurpose({ before, after, decision }: Written): Hold[] {
  const isDue = ({ kind }: { kind: string }) => kind === 'expired' || kind === 'released';
  const lapsed = decision.events.filter(isDue).map(({ token }) => token);
  return holdsMoved(before, after).ended.filter(({ token }) => !lapsed.includes(token));
}

it(
  'promise 7: operators act on the hold that was seen or not at all; a revoked token is invalid',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new OperatorReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

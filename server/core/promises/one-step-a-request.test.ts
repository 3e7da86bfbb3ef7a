import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockyardError } from '../../contract/errors';
import type { AcquireAnswer } from '../../contract/lock/answers';
import type { AcquireCommand, LockCommand } from '../lock/lock-command';
import { type RequestIdentity, requestFingerprint } from '../request-fingerprint';
import { type Answered, Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { HoldLedger } from '../testing/hold-ledger';
import { acquire, extend, release, renew } from '../testing/lock-requests';
import { LockWorld, type Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS, RUNS_PER_PROPERTY } from '../testing/property-runs';

/** The step that a request made, and whether it was undone. */
interface Deed {
  token: number;
  rev: number;
  holdCount: number;
  waitedMs: number;
  state: 'done' | 'cancelled';
}

/**
 * Whether permits were refused that do not fit the present capacity, or the hold to enter again.
 */
const isMisfit = ({ mode }: AcquireCommand, { reason, capacity }: LockyardError) =>
  mode === 'permit' && (capacity !== undefined || reason === 'CONFLICT');

/** Campaigns last less than 15 minutes, so that every answer has to be remembered to their end. */
class AcquireReferee implements Referee {
  private readonly ledger = new HoldLedger();
  private readonly deeds = new Map<string, Deed>();
  private readonly cancelledWaits = new Set<string>();
  /** Each request as last accepted, by key and by tag: a hand-off only names the tag. */
  private readonly accepted = new Map<string, AcquireCommand>();

  onWritten(written: Written): void {
    const { command, decision } = written;
    this.ledger.onWritten(written);
    if (command.verb === 'acquire') {
      this.accepted.set(requestFingerprint(command.request), command);
      this.accepted.set(command.request.key, command);
    }
    if (command.verb === 'giveUp') this.noteTimeout(command.request);
    this.noteUndone(written);
    for (const { kind, rev, token = 0, holdCount = 1 } of decision.events) {
      if (kind !== 'granted' && kind !== 'reentered') continue;
      const handed = decision.handOffs.find(({ hold }) => hold.token === token);
      const ask = handed && kind === 'granted' ? this.accepted.get(handed.tag) : command;
      const { waitedMs } = this.ledger.entry(token).hold;
      this.noteStep(ask, { token, rev, holdCount, waitedMs });
    }
  }

  /** The timeout is remembered under the input that the give-up names. */
  private noteTimeout(request: RequestIdentity): void {
    const ask = this.accepted.get(request.key);
    if (ask) this.accepted.set(request.key, { ...ask, request });
  }

  onAnswered({ proposal, written, at }: Answered): void {
    const { command, decision } = proposal;
    if (command.verb !== 'acquire' || !command.request.remembered) return;
    const answer = decision.answer as AcquireAnswer;
    const { key, inputHash } = command.request;
    const deed = this.deeds.get(key);
    if (deed?.state === 'done') {
      expect(inputHash, 'another input was answered').toBe(
        this.accepted.get(key)?.request.inputHash,
      );
    }
    if (this.cancelledWaits.has(key)) {
      expect(answer.outcome).toBe('timeout');
    } else if (!deed) {
      expect(answer.outcome).not.toBe('ended');
      if (written === null) expect(answer.outcome).not.toBe('granted');
    } else {
      const isFirst = deed.rev === written?.after.rev;
      const isReleased = this.ledger.entry(deed.token).hold.releasedAt !== undefined;
      const isLive = this.ledger.isLive(deed.token, at) && !isReleased;
      this.checkAnswer(deed, answer, isFirst || isLive);
    }
  }

  /** Only a request whose input differs from the accepted one may be refused. */
  onRefused(command: LockCommand, error: LockyardError): void {
    if (command.verb !== 'acquire') return;
    const { key, inputHash } = command.request;
    if (isMisfit(command, error)) {
      expect(this.deeds.has(key), 'a request that was granted is refused').toBe(false);
      return;
    }
    expect(error.reason).toBe('INVALID');
    expect(this.accepted.get(key)?.request.inputHash).not.toBe(inputHash);
  }

  private checkAnswer({ state, ...facts }: Deed, answer: AcquireAnswer, isLive: boolean): void {
    const { token } = facts;
    const { hold, ending } = this.ledger.entry(token);
    if (state === 'done' && isLive) {
      expect(answer).toMatchObject({ outcome: 'granted', ...facts, expiresAt: hold.expiresAt });
      return;
    }
    expect(answer).toMatchObject({ outcome: 'ended', token });
    const { cause } = answer as { cause: string };
    const isOver = state === 'cancelled' || hold.releasedAt !== undefined;
    if (!ending) expect(cause).toBe(isOver ? 'released' : 'expired');
    else if (state === 'done') expect(cause).toBe(this.ledger.expectedCause(token));
  }

  private noteStep(ask: LockCommand | undefined, facts: Omit<Deed, 'state'>): void {
    if (ask?.verb !== 'acquire') throw new Error(`no request asked for hold ${facts.token}`);
    if (!ask.request.remembered) return;
    const { key } = ask.request;
    expect(this.deeds.has(key), 'one request took two steps').toBe(false);
    expect(this.cancelledWaits.has(key), 'a cancelled request was granted').toBe(false);
    this.deeds.set(key, { ...facts, state: 'done' });
  }

  private noteUndone({ command, decision }: Written): void {
    if (command.verb !== 'cancel') return;
    const { key } = command.request;
    const deed = this.deeds.get(key);
    const kinds = decision.events.filter(({ token }) => token === deed?.token).map((e) => e.kind);
    const isUndone = kinds.some((kind) => ['late', 'released', 'decremented'].includes(kind));
    if (deed?.state === 'done' && isUndone) this.deeds.set(key, { ...deed, state: 'cancelled' });
    if (decision.events.some(({ kind }) => kind === 'cancelled')) this.cancelledWaits.add(key);
  }
}

/** Counts the steps that were written for each request id of a release. */
class ReleaseReferee implements Referee {
  private readonly steps = new Map<string, number>();

  onWritten({ before, command, decision }: Written): void {
    if (command.verb !== 'release' || !command.request) return;
    const { key } = command.request;
    const was = before?.holds.find(({ token }) => token === command.token);
    // The end of a hold that was released before is no step of this request.
    if (was?.releasedAt !== undefined) return;
    const taken = decision.events.filter(
      ({ kind, token }) => token === command.token && /released|decremented|kept/.test(kind),
    ).length;
    this.steps.set(key, (this.steps.get(key) ?? 0) + taken);
    expect(this.steps.get(key), 'one request released twice').toBeLessThanOrEqual(1);
  }
}

it(
  'promise 3: one request id grants at most once, and is always answered the same',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new AcquireReferee()]).play(played);
      }),
      { ...RUNS, numRuns: 3 * RUNS_PER_PROPERTY },
    );
  },
  PROPERTY_MS,
);

it(
  'promise 3: one request id releases at most one step',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new ReleaseReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

it.each(['renewed', 'extended'] as const)(
  'promise 3: nor a second one of a hold that was %s for hours without request ids',
  (prolonged) => {
    const world = new LockWorld();
    const granted = world.run(acquire('orders/w1', { leaseMs: 1_800_000 }));
    const { token } = granted as { token: number };
    world.run(acquire('orders/w1', { leaseMs: 1_800_000, reentrant: true }));
    world.run(acquire('orders/w1', { leaseMs: 1_800_000, reentrant: true }));
    for (let hour = 0; hour < 3; hour += 0.25) {
      if (prolonged === 'renewed') world.run(renew('orders/w1', token, 1_800_000));
      else world.run(extend(token, 900_000, `more ${hour}`));
      world.pass(900_000);
    }
    const step = release('orders/w1', token, 'step');
    expect(world.run(step)).toEqual({ outcome: 'decremented', holdCount: 2 });
    world.pass(600_000);
    expect(world.run(step)).toEqual({ outcome: 'decremented', holdCount: 2 });
    expect(world.record?.holds[0]?.count).toBe(2);
  },
);

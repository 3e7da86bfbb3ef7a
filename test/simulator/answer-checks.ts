import type { CounterAddAnswer } from '@/server/contract/counter';
import { isWithin } from '@/server/contract/counter-bounds';
import type { LockyardError } from '@/server/contract/errors';
import type { AcquireAnswer, CancelAnswer } from '@/server/contract/lock/answers';
import type { AcquireManyAnswer } from '@/server/contract/multi-lock';
import { leaseFloorMs } from '@/server/core/lock/hold-lifecycle';
import type { AcquireCommand } from '@/server/core/lock/lock-command';
import { isReleased } from '@/server/core/lock/lock-record';
import type { AcquireMultiLockCommand } from '@/server/core/multi-lock/multi-lock-command';
import type { RequestIdentity } from '@/server/core/request-fingerprint';
import type { RecordKey } from '@/server/storage/record-store';
import type { ObservedHold, Referee } from './referee';
import type { SimWorld } from './sim-world';
import { CLOCK_BEHIND_MAX_MS } from './slow-reads-connection';

type Received<T> = { answer: T } | { error: LockyardError };

interface Acquiring {
  key: RecordKey;
  ask: AcquireCommand;
  /** When the caller asked, by the simulator's unadjusted clock. */
  startedAt: number;
  /** Whether no earlier request of this caller for this lock can still take effect. */
  isSure: boolean;
}

/** The tolerance of a wait, which is measured in whole milliseconds by clocks read in turn. */
const ROUNDED_MS = 5;

/** The outcomes of an operator's action after which the hold has ended. */
const ENDED: ReadonlySet<string> = new Set(['forced', 'reassigned']);

const isRefusedAsFull = <T>(heard: Received<T>) =>
  'error' in heard && heard.error.reason === 'NAMESPACE_FULL';

function isLostBefore(hold: ObservedHold | undefined, at: number): boolean {
  const lostAt = hold?.lostAt ?? null;
  return lostAt !== null && lostAt < at;
}

/** Checks each answer, when a process gives it, against the true state of the database. */
export class AnswerChecks {
  /** When each request was first made; negative infinity for one that was cancelled. */
  private readonly askedAt = new Map<string, number>();

  constructor(
    private readonly world: SimWorld,
    readonly referee: Referee,
  ) {}

  acquired({ key, ask, startedAt, isSure }: Acquiring, heard: Received<AcquireAnswer>): void {
    const { referee, world } = this;
    const who = `${ask.owner} on ${key.name}`;
    if ('answer' in heard && heard.answer.outcome === 'granted') {
      const { token, expiresInMs } = heard.answer;
      const grant = referee.observedHold(key, token);
      if (!grant)
        referee.report(`${who} was answered with token ${token}, which was never granted`);
      if (isLostBefore(grant, startedAt))
        referee.report(`${who} was answered with ${token}, which is lost`);
      const hold = referee.liveHold(key, token);
      const leftMs = (hold?.expiresAt ?? 0) - referee.now(key);
      if (hold && !world.clockSteps && expiresInMs > leftMs + 1) {
        referee.report(`${who} was answered ${expiresInMs} ms of a lease that has ${leftMs}`);
      }
      if (!ask.request.remembered && expiresInMs < leaseFloorMs(ask.leaseMs)) {
        referee.report(`${who} was granted a lease with ${expiresInMs} ms left`);
      }
      return;
    }
    if (isRefusedAsFull(heard)) referee.refusedAsFull(key, startedAt);
    this.endedInTime(ask, heard);
    const isDoubt = 'error' in heard && heard.error.reason === 'UNKNOWN';
    if (isDoubt || !isSure) return;
    const mine = referee.holdsOf(key).find((hold) => hold.owner === ask.owner && !isReleased(hold));
    const outcome = 'answer' in heard ? heard.answer.outcome : heard.error.reason;
    if (mine && outcome !== 'queued')
      referee.report(`${who} holds ${mine.token}, and was answered ${outcome}`);
    const freeFrom = referee.freeFrom(key);
    if (outcome === 'held' && freeFrom !== null && freeFrom + world.steppedMs < startedAt) {
      referee.report(`${who} was answered held, and the lock was free all the time`);
    }
  }

  /** Called when a request is made, perhaps not for the first time. */
  asking({ key }: RequestIdentity): void {
    if (!this.askedAt.has(key)) this.askedAt.set(key, this.world.database.instant());
  }

  /** Called before a request is cancelled: from now on it may time out at any time. */
  cancelling({ key }: RequestIdentity): void {
    this.askedAt.set(key, Number.NEGATIVE_INFINITY);
  }

  /** No wait may end before its timeout, counted from the first call of its request. */
  private endedInTime(
    { owner, waitMs, request }: Pick<AcquireCommand, 'owner' | 'waitMs' | 'request'>,
    heard: Received<{ outcome: string }>,
  ): void {
    if (!('answer' in heard) || heard.answer.outcome !== 'timeout') return;
    const { database, steppedMs, lossyStore, slowReads } = this.world;
    const askedAt = this.askedAt.get(request.key) ?? Number.NEGATIVE_INFINITY;
    const waitedMs = database.instant() - askedAt;
    // A wait begins at the lower bound of the clock that is known where it is queued.
    const behindMs = slowReads ? CLOCK_BEHIND_MAX_MS : 0;
    if (lossyStore || waitedMs >= waitMs - steppedMs - ROUNDED_MS - behindMs) return;
    this.referee.report(`${owner} waited ${waitedMs} of ${waitMs} ms, and was answered timeout`);
  }

  /**
   * The holds of a granted set must have been granted together, and the answer must show what is
   * left of their leases. A set that spans shards must be refused for that reason, and no other.
   */
  acquiredMultiLock(
    { owner, locks, waitMs, request }: AcquireMultiLockCommand,
    heard: Received<AcquireManyAnswer>,
  ): void {
    this.endedInTime({ owner, waitMs, request }, heard);
    const homes = locks.map(({ name }) => this.world.databaseOf({ namespace: 'default', name }));
    const isSpanning = new Set(homes).size > 1;
    const isRefused = 'error' in heard && heard.error.reason === 'UNSUPPORTED';
    if (isSpanning !== isRefused) {
      this.referee.report(
        `a set of ${owner} spans shards: ${isSpanning}, and was refused: ${isRefused}`,
      );
    }
    if (!('answer' in heard) || heard.answer.outcome !== 'granted') return;
    const { referee, world } = this;
    const { grants } = heard.answer;
    if (grants.length !== locks.length)
      referee.report(`${owner} was answered with a part of its set`);
    for (const { name, token, expiresInMs } of grants) {
      const key = { namespace: 'default', name };
      const hold = referee.liveHold(key, token);
      const leftMs = (hold?.expiresAt ?? 0) - referee.now(key);
      if (!referee.observedHold(key, token))
        referee.report(`${owner} received a multi-lock that was never granted`);
      if (hold && !world.clockSteps && expiresInMs > leftMs + 1) {
        referee.report(
          `${owner} was answered ${expiresInMs} ms of a set's lease that has ${leftMs}`,
        );
      }
    }
  }

  /**
   * A renewal or a release: no caller may be answered that a live hold is lost, nor that a hold
   * continues if the store had lost it before the request.
   */
  answered(
    key: RecordKey,
    token: number,
    startedAt: number,
    heard: Received<{ outcome: string; freesAt?: number }>,
  ): void {
    if (isRefusedAsFull(heard)) {
      this.referee.report(`the holder of ${token} was answered that its namespace is full`);
    }
    if (!('answer' in heard)) return;
    const { outcome, freesAt } = heard.answer;
    if (outcome === 'renewed' && isLostBefore(this.referee.observedHold(key, token), startedAt)) {
      this.referee.report(`${token} was lost, and its holder was answered renewed`);
    }
    const hold = this.referee.liveHold(key, token);
    if (outcome === 'lost' && hold)
      this.referee.report(`${token} is live, and its holder was answered lost`);
    if (outcome === 'released' && freesAt === undefined) this.referee.answeredFree(key, token);
    if (outcome === 'released' && hold && !isReleased(hold)) {
      this.referee.report(`${token} is live, and its holder was answered released`);
    }
  }

  forced(key: RecordKey, token: number, heard: Received<{ outcome: string }>): void {
    if (!('answer' in heard) || !ENDED.has(heard.answer.outcome)) return;
    if (this.referee.liveHold(key, token))
      this.referee.report(`${token} is live after it was forced out`);
  }

  /** A store that loses data, or keeps answers only briefly, may forget that this was undone. */
  cancelled(keys: readonly RecordKey[], requestKey: string, heard: Received<CancelAnswer>): void {
    if (this.world.lossyStore || this.world.crowd) return;
    if ('answer' in heard && heard.answer.outcome !== 'none') {
      this.referee.markUndone(keys, requestKey);
    }
  }

  /**
   * A step that was answered as applied must be in the history. One that was refused must have been
   * outside the bounds at some instant since it was requested.
   */
  added(delta: number, startedAt: number, heard: Received<CounterAddAnswer>): void {
    if (!('answer' in heard)) return;
    if (heard.answer.outcome === 'outOfBounds') {
      const seen = heard.answer;
      if (!isWithin(seen.value + delta, seen) && this.referee.wasCounter(seen, startedAt)) return;
      this.referee.report(`${delta} was refused at ${seen.value}, which was wrong or left room`);
      return;
    }
    const { rev, value } = heard.answer;
    const step = this.referee.counterSteps.get(delta);
    if (step?.rev !== rev || step.value !== value) {
      this.referee.report(
        `a caller was answered that ${delta} was added at rev ${rev}, but it was not`,
      );
    }
  }
}

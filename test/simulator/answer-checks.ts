import type { ReleaseRequestAnswer } from '@/server/contract/console/operator-answers';
import type { CounterAddAnswer } from '@/server/contract/counter';
import { isWithin } from '@/server/contract/counter-bounds';
import type { LockyardError } from '@/server/contract/errors';
import type {
  AcquireAnswer,
  CancelAnswer,
  CheckAnswer,
  InspectAnswer,
  ListAnswer,
  ReleaseAnswer,
  RenewAnswer,
  Renewed,
} from '@/server/contract/lock/answers';
import type { AcquireManyAnswer } from '@/server/contract/multi-lock';
import type { Remark } from '@/server/contract/primitives';
import { leaseFloorMs } from '@/server/core/lock/hold-lifecycle';
import type { AcquireCommand, ReleaseRequestCommand } from '@/server/core/lock/lock-command';
import { isReleased } from '@/server/core/lock/lock-record';
import type { AcquireMultiLockCommand } from '@/server/core/multi-lock/multi-lock-command';
import type { RequestIdentity } from '@/server/core/request-fingerprint';
import { recordId } from '@/server/storage/record-id';
import type { RecordKey } from '@/server/storage/record-store';
import { LATE_HISTORY_MS, type ReadSpan } from './read-referee';
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

/** A lock that a caller asked about. */
interface ReadCall {
  key: RecordKey;
  /** When, by the clock that is never set. */
  startedAt: number;
  /** The same by the clock that counts its leases. */
  startedOn: number;
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
      if (hold) referee.received.add(key, hold);
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
    const clockErrorMs = world.steppedMs + this.behindMs;
    if (outcome === 'held' && freeFrom !== null && freeFrom + clockErrorMs < startedAt) {
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
    const { database, steppedMs, lossyStore } = this.world;
    const askedAt = this.askedAt.get(request.key) ?? Number.NEGATIVE_INFINITY;
    const waitedMs = database.instant() - askedAt;
    if (lossyStore || waitedMs >= waitMs - steppedMs - ROUNDED_MS - this.behindMs) return;
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
      if (hold) referee.received.add(key, hold);
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
    heard: Received<ReleaseAnswer | RenewAnswer>,
  ): void {
    if (isRefusedAsFull(heard)) {
      this.referee.report(`the holder of ${token} was answered that its namespace is full`);
    }
    if (!('answer' in heard)) return;
    const { outcome } = heard.answer;
    if (outcome === 'renewed' && isLostBefore(this.referee.observedHold(key, token), startedAt)) {
      this.referee.report(`${token} was lost, and its holder was answered renewed`);
    }
    const hold = this.referee.liveHold(key, token);
    if (outcome === 'lost' && hold)
      this.referee.report(`${token} is live, and its holder was answered lost`);
    if (outcome === 'renewed') this.renewed(key, token, startedAt, heard.answer);
    const isFree = outcome === 'released' && heard.answer.freesAt === undefined;
    if (isFree) this.referee.answeredFree(key, token);
    if (outcome === 'released' && hold && !isReleased(hold)) {
      this.referee.report(`${token} is live, and its holder was answered released`);
    }
  }

  /** A renewal must deliver what an operator had asked of the holder before it was sent. */
  private renewed(key: RecordKey, token: number, startedAt: number, answer: Renewed): void {
    const { releaseRequests } = this.referee;
    const isMissing = (verb: ReleaseRequestCommand['verb'], delivered: Remark | undefined) =>
      delivered === undefined &&
      releaseRequests.wasAskedBefore(recordId(key), token, verb, startedAt);
    const { askedToRelease, renewalsStopped } = answer;
    if (isMissing('askRelease', askedToRelease))
      this.referee.report(`${token} was renewed, and its holder did not learn that it is wanted`);
    if (isMissing('stopRenewals', renewalsStopped))
      this.referee.report(`${token} was renewed, and its holder did not learn that it is blocked`);
  }

  /** An operator's request to a holder must be answered with what became of it. */
  releaseRequested(
    key: RecordKey,
    { verb, token }: Pick<ReleaseRequestCommand, 'verb' | 'token'>,
    heard: Received<ReleaseRequestAnswer>,
  ): void {
    if (!('answer' in heard)) return;
    const { referee } = this;
    const { outcome, rev } = heard.answer;
    if (outcome === 'told' && !referee.releaseRequests.wasWritten(recordId(key), token, verb, rev))
      referee.report(`an operator was answered that ${token} was asked, and it was not`);
    const hold = referee.liveHold(key, token);
    if (outcome === 'changed' && hold && !isReleased(hold))
      referee.report(`${token} is live, and an operator was answered that it has ended`);
  }

  /** What was read of a lock must have been true at some instant since its caller asked. */
  inspected(read: ReadCall, heard: Received<InspectAnswer>): void {
    if (!('answer' in heard)) return;
    const { referee, world } = this;
    const { key, startedAt } = read;
    const id = recordId(key);
    const { answer } = heard;
    for (const wrong of referee.reads.inspected(id, answer, this.spanOf(read)))
      referee.report(`${id}: ${wrong}`);
    for (const { token, expiresAt, expiresInMs } of answer.holders) {
      if (isLostBefore(referee.observedHold(key, token), startedAt))
        referee.report(`${token} is lost, and was read as held`);
      const leftMs = expiresAt - referee.now(key);
      if (!world.clockSteps && expiresInMs > Math.max(0, leftMs) + 1)
        referee.report(`${expiresInMs} ms of ${token} were read, and it has ${leftMs}`);
    }
    if (world.shared > 0 || world.permitRandom) return;
    for (const [token, hold] of referee.observedHolds.get(id) ?? []) {
      const hasEnded = hold.goneAt !== null && hold.goneAt < startedAt;
      if ((hasEnded || isLostBefore(hold, startedAt)) && token >= answer.minValidToken)
        referee.report(`${token} had ended, and ${answer.minValidToken} was read as valid`);
    }
  }

  /** A list may be as old as it says, and no older. */
  listed(startedAt: number, heard: Received<ListAnswer | null>): void {
    if (!('answer' in heard) || !heard.answer) return;
    const { referee, world } = this;
    const { locks, ageMs } = heard.answer;
    const listed = new Map(locks.map((lock) => [lock.name, lock]));
    for (const key of world.keys) {
      const id = recordId(key);
      const since = startedAt - ageMs - LATE_HISTORY_MS;
      for (const wrong of referee.reads.listed(id, listed.get(key.name), since))
        referee.report(`${id}: ${wrong}`);
    }
  }

  /** A check of one token must have been right at some instant since its caller asked. */
  checked(read: ReadCall, token: number, heard: Received<CheckAnswer>): void {
    if (!('answer' in heard)) return;
    const { referee } = this;
    const { key, startedAt } = read;
    const { from } = this.spanOf(read);
    const hold = referee.liveHold(key, token);
    const observed = referee.observedHold(key, token);
    const isGone = observed?.goneAt != null && observed.goneAt < startedAt;
    const isReleasedThen = (hold?.releasedAt ?? Number.POSITIVE_INFINITY) < from;
    const hasEnded = isGone || isReleasedThen || isLostBefore(observed, startedAt);
    if (heard.answer.valid && (hasEnded || (observed?.expiresAt ?? 0) <= from))
      referee.report(`${token} has ended, and was read as valid`);
    if (heard.answer.valid || !this.isReadFinal) return;
    if (hold && !isReleased(hold)) referee.report(`${token} is live, and was read as ended`);
    referee.reads.readAsEnded(recordId(key), token);
  }

  /**
   * Whether a lease that was read as expired stays so: a read cannot write its end if the store
   * does not respond, and then it lives again when the clock is set back.
   */
  private get isReadFinal(): boolean {
    const { clockSteps, faults } = this.world;
    return !clockSteps || faults === 0;
  }

  /** How far the time by which a process begins waits and ends leases may be behind the store's. */
  private get behindMs(): number {
    return this.world.slowReads ? CLOCK_BEHIND_MAX_MS : 0;
  }

  private spanOf({ key, startedAt, startedOn }: ReadCall): ReadSpan {
    const { steppedMs } = this.world;
    const from = startedOn - this.behindMs - steppedMs;
    return { startedAt, from, to: this.referee.now(key) + steppedMs };
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

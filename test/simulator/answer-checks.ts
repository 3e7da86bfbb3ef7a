import type { LockyardError } from '@/server/contract/errors';
import type { AcquireAnswer } from '@/server/contract/lock/answers';
import type { AcquireSetAnswer } from '@/server/contract/multi-lock/answers';
import type { AddAnswer } from '@/server/core/counter/counter-command';
import { leaseFloorMs } from '@/server/core/lease-floor';
import type { AcquireCommand } from '@/server/core/lock/lock-command';
import type { AcquireSetCommand } from '@/server/core/multi-lock/multi-lock-command';
import type { RecordKey } from '@/server/storage/record-store';
import type { Tenure, Truth } from './referee';
import type { SimWorld } from './sim-world';

type Heard<T> = { answer: T } | { error: LockyardError };

interface Acquiring {
  key: RecordKey;
  ask: AcquireCommand;
  /** When the caller asked, by the simulator's unadjusted clock. */
  startedAt: number;
  /** Nothing that this caller asked of this lock before may still have an effect. */
  isSure: boolean;
}

function isLostBefore(tenure: Tenure | undefined, at: number): boolean {
  const lostAt = tenure?.lostAt ?? null;
  return lostAt !== null && lostAt < at;
}

/** Checks each answer, when a process gives it, against what the database knows to be true. */
export class AnswerChecks {
  constructor(
    private readonly world: SimWorld,
    readonly truth: Truth,
  ) {}

  acquired({ key, ask, startedAt, isSure }: Acquiring, heard: Heard<AcquireAnswer>): void {
    const { truth, world } = this;
    const who = `${ask.owner} on ${key.name}`;
    if ('answer' in heard && heard.answer.outcome === 'granted') {
      const { token, expiresInMs } = heard.answer;
      const tenure = truth.tenure(key, token);
      if (!tenure) truth.tell(`${who} was told of token ${token}, which nobody was granted`);
      if (isLostBefore(tenure, startedAt)) truth.tell(`${who} was told of ${token}, which is lost`);
      const hold = truth.liveHold(key, token);
      const leftMs = (hold?.expiresAt ?? 0) - truth.now(key);
      if (hold && !world.clockSteps && expiresInMs > leftMs + 1) {
        truth.tell(`${who} was told ${expiresInMs} ms of a lease that has ${leftMs}`);
      }
      if (!ask.request.remembered && expiresInMs < leaseFloorMs(ask.leaseMs)) {
        truth.tell(`${who} was granted a lease with ${expiresInMs} ms left`);
      }
      return;
    }
    const isDoubt = 'error' in heard && heard.error.reason === 'UNKNOWN';
    if (isDoubt || !isSure) return;
    const mine = truth.holdsOf(key).find(({ owner }) => owner === ask.owner);
    const outcome = 'answer' in heard ? heard.answer.outcome : heard.error.reason;
    if (mine && outcome !== 'queued')
      truth.tell(`${who} holds ${mine.token}, and was told ${outcome}`);
    const freeFrom = truth.freeFrom(key);
    if (outcome === 'held' && freeFrom !== null && freeFrom + world.steppedMs < startedAt) {
      truth.tell(`${who} was told held, and the lock was free all the time`);
    }
  }

  /**
   * The holds of a granted set must have been granted together, and the answer must show what is
   * left of them. A set that spans shards is refused as such, and no other one is.
   */
  acquiredSet({ owner, locks }: AcquireSetCommand, heard: Heard<AcquireSetAnswer>): void {
    const homes = locks.map(({ name }) => this.world.databaseOf({ namespace: 'default', name }));
    const isSpanning = new Set(homes).size > 1;
    const isRefused = 'error' in heard && heard.error.reason === 'UNSUPPORTED';
    if (isSpanning !== isRefused) {
      this.truth.tell(
        `a set of ${owner} spans shards: ${isSpanning}, and was refused: ${isRefused}`,
      );
    }
    if (!('answer' in heard) || heard.answer.outcome !== 'granted') return;
    const { truth, world } = this;
    const { grants } = heard.answer;
    if (grants.length !== locks.length) truth.tell(`${owner} was told of a part of its set`);
    for (const { name, token, expiresInMs } of grants) {
      const key = { namespace: 'default', name };
      const hold = truth.liveHold(key, token);
      const leftMs = (hold?.expiresAt ?? 0) - truth.now(key);
      if (!truth.tenure(key, token))
        truth.tell(`${owner} was told of a set that nobody was granted`);
      if (hold && !world.clockSteps && expiresInMs > leftMs + 1) {
        truth.tell(`${owner} was told ${expiresInMs} ms of a set's lease that has ${leftMs}`);
      }
    }
  }

  /**
   * A renewal or a release: no caller may hear that a live hold is lost, nor that a hold continues
   * if the store had lost it before the request.
   */
  told(key: RecordKey, token: number, startedAt: number, heard: Heard<{ outcome: string }>): void {
    if (!('answer' in heard)) return;
    const { outcome } = heard.answer;
    if (outcome === 'renewed' && isLostBefore(this.truth.tenure(key, token), startedAt)) {
      this.truth.tell(`${token} was forgotten, and its holder was told renewed`);
    }
    const hold = this.truth.liveHold(key, token);
    if (outcome === 'lost' && hold)
      this.truth.tell(`${token} is live, and its holder was told lost`);
    if (outcome === 'released' && hold) {
      this.truth.tell(`${token} is live, and its holder was told released`);
    }
  }

  forced(key: RecordKey, token: number, heard: Heard<{ outcome: string }>): void {
    if (!('answer' in heard) || heard.answer.outcome !== 'forced') return;
    if (this.truth.liveHold(key, token))
      this.truth.tell(`${token} is live after it was forced out`);
  }

  /** A step that a caller was answered for is in the history. */
  added(delta: number, heard: Heard<AddAnswer>): void {
    if (!('answer' in heard) || heard.answer.outcome !== 'applied') return;
    const { rev, value } = heard.answer;
    const step = this.truth.counterSteps.get(delta);
    if (step?.rev !== rev || step.value !== value) {
      this.truth.tell(`somebody was told that ${delta} was added at rev ${rev}, and it was not`);
    }
  }
}

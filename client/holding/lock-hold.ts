import { LockLost, LockyardError, type LossFacts, lossFacts } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import { notify, type ObservedLock } from '../observing/lock-observer';
import { type ClientClock, pause } from '../platform/client-clock';
import { type Grant, type LockRequest, provenLeaseEnd } from '../waiting/await-grant';
import { retryDelayMs } from '../wire/retry';
import { renewalTimeoutMs } from '../wire/time-limits';
import type { Remark, RenewAnswer, Renewed } from '../wire/wire';

/** A hold, as the work receives it. */
export interface Hold {
  readonly namespace: string;
  readonly name: string;
  /** The fencing token: send it with every write to a resource that can refuse a stale one. */
  readonly token: number;
  /** How long the call waited for the grant, in milliseconds; 0 within an outer hold. */
  readonly waitedMs: number;
  /** Aborted with `LockLost` when the hold is lost, or with the reason of the caller's signal. */
  readonly signal: AbortSignal;
  /**
   * Aborted, with the operator's `Remark` as its reason, when an operator asks for the lock or has
   * stopped its renewals: the work should finish soon. The hold stays valid until `signal` aborts.
   */
  readonly askedToRelease: AbortSignal;
  /**
   * The operator's remark once renewals no longer extend this hold, which ends at `expiresAt`; else
   * null.
   */
  readonly renewalsStopped: Remark | null;
  /** The end of the lease in the last answer, in epoch milliseconds of the backend's clock. */
  readonly expiresAt: number;
  /**
   * How many milliseconds of the lease are certainly left: counted on a monotonic clock from before
   * the request was sent, less an allowance for drift. 0 once the hold is lost or the work has
   * ended. Correct even if the event loop was blocked, which delays `signal`.
   */
  remainingMs(): number;
}

/** Listeners for operators' messages to a holder. */
export interface HoldListeners {
  onAskedToRelease?: ((asked: Remark) => void) | undefined;
  onRenewalsStopped?: ((stopped: Remark) => void) | undefined;
}

/** An inner call that runs under the same hold. */
export interface HoldFollower extends HoldListeners {
  /** Called once the work has to end, with the reason for its signal. */
  onEnd?: ((reason: unknown) => void) | undefined;
}

/** So that a hold that is about to end does not send one renewal after another. */
const RENEW_AFTER_MIN_MS = 100;

/** Renews a hold every third of its lease, and notices when it may be lost. */
export class LockHold {
  readonly token: number;
  /** Null until the loss of the hold is noticed. */
  lost: LockLost | null = null;
  /** The work has ended: what it left running no longer holds the lock. */
  isOver = false;
  private readonly heldSince: number;
  private expiresAt: number;
  private provenUntil: number;
  private renewAt: number;
  /** When the last answered renewal was sent. */
  private renewedSince = Number.NEGATIVE_INFINITY;
  private lastFailure: unknown;
  private cancelDeadline = () => {};
  private renewalsStopped: Remark | null = null;
  private asked: Remark | null = null;
  private readonly askedToRelease = new AbortController();
  private readonly work = new AbortController();
  private readonly stopped = new AbortController();
  private readonly followers = new Set<HoldFollower>();

  constructor(
    readonly client: LockyardClient,
    readonly request: LockRequest,
    private readonly grant: Grant,
    listeners: HoldListeners = {},
  ) {
    this.followers.add(listeners);
    this.heldSince = client.settings.clock.monotonic();
    this.token = grant.token;
    this.expiresAt = grant.expiresAt;
    this.provenUntil = provenLeaseEnd(grant);
    this.renewAt = grant.sentAt + this.renewAfterMs(grant.expiresInMs);
  }

  /** Starts the renewals and the timers. A hold with no time left is lost immediately. */
  begin(): void {
    if (this.checkLost()) return;
    this.watchDeadline();
    void this.keepRenewing();
  }

  /** Ends the renewals with the work. A hold that expired unnoticed counts as lost. */
  stop(): void {
    this.checkLost();
    this.isOver = true;
    this.cancelDeadline();
    // A timer keeps the async context of its start, and so an outer hold: chains of these would
    // leak.
    this.cancelDeadline = () => {};
    this.stopped.abort();
    this.endFollowers(this.lost ?? this.endedLoss());
  }

  /** Null while the lease is certainly valid: reads the clock, since timers may be late. */
  checkLost(): LockLost | null {
    if (!this.isOver && this.remainingMs() === 0) {
      this.lose({ cause: 'unrenewed' }, this.lastFailure);
    }
    return this.lost;
  }

  lose(facts: LossFacts, cause?: unknown): void {
    if (this.lost) return;
    this.lost = new LockLost(this.request.name, this.token, facts, cause);
    this.cancelDeadline();
    this.stopped.abort();
    this.work.abort(this.lost);
    this.endFollowers(this.lost);
    const { observer } = this.client.settings;
    notify(observer, 'lost', { ...this.facts(), cause: facts.cause, heldMs: this.heldMs() });
  }

  /** Forwards the hold's events, past ones included, until the returned function is called. */
  listen(follower: HoldFollower): () => void {
    this.followers.add(follower);
    if (this.asked) callListener(follower.onAskedToRelease, this.asked);
    if (this.renewalsStopped) callListener(follower.onRenewalsStopped, this.renewalsStopped);
    if (this.work.signal.aborted) follower.onEnd?.(this.work.signal.reason);
    return () => this.followers.delete(follower);
  }

  /** The error for inner work that still runs under the hold when the outer work has ended. */
  endedLoss(): LockLost {
    return new LockLost(this.request.name, this.token, { cause: 'released' });
  }

  /** Aborts the work with the caller's own reason. The hold remains. */
  interrupt(reason: unknown): void {
    this.work.abort(reason);
    this.endFollowers(reason);
  }

  remainingMs(): number {
    if (this.lost) return 0;
    return Math.max(0, this.provenUntil - this.client.settings.clock.monotonic());
  }

  /** From the arrival of the grant until now, in milliseconds. */
  heldMs(): number {
    return this.client.settings.clock.monotonic() - this.heldSince;
  }

  /** The fields that every observer event has. */
  facts(): ObservedLock & { token: number } {
    const { namespace, name, mode } = this.request;
    return { namespace, name, mode, token: this.token };
  }

  /** What the work receives. Its getters change with renewals; all else may be destructured. */
  view({ signal = this.work.signal, waitedMs = this.grant.waitedMs } = {}): Hold {
    const { namespace, name } = this.request;
    const { token } = this.grant;
    const expiresAt = () => this.expiresAt;
    const renewalsStopped = () => this.renewalsStopped;
    return {
      namespace,
      name,
      token,
      waitedMs,
      signal,
      askedToRelease: this.askedToRelease.signal,
      get renewalsStopped() {
        return renewalsStopped();
      },
      get expiresAt() {
        return expiresAt();
      },
      remainingMs: () => (this.isOver ? 0 : this.remainingMs()),
    };
  }

  private async keepRenewing(): Promise<void> {
    const { clock, chance } = this.client.settings;
    const stop = this.stopped.signal;
    for (let failures = 0; !stop.aborted; ) {
      try {
        await pause(clock, this.renewAt - clock.monotonic(), stop);
        await this.renew();
        failures = 0;
      } catch (error) {
        this.lastFailure = error;
        // While the lease lasts, any failure may pass: retry, sooner for a short lease.
        const retryAfterMs = error instanceof LockyardError ? error.retryAfterMs : undefined;
        const delayMs = retryDelayMs(chance, failures++, retryAfterMs);
        this.renewAt = clock.monotonic() + Math.min(delayMs, this.request.leaseMs / 6);
      }
    }
  }

  /** One attempt, which may end before its answer arrives. */
  private renew(): Promise<void> {
    const { namespace, name, owner, leaseMs } = this.request;
    const { clock } = this.client.settings;
    const overdueMs = leaseMs / 3;
    const timeoutMs = renewalTimeoutMs(leaseMs);
    const sentAt = clock.monotonic();
    const leftMs = this.remainingMs();
    const renewing = this.client
      .renew(
        { namespace, name, owner, token: this.token, leaseMs },
        { timeoutMs, signal: this.stopped.signal },
      )
      .then((answer) => this.apply(answer, sentAt, leftMs));
    // A short lease would nearly have expired by then: the next attempt starts while this is open.
    return timeoutMs > overdueMs ? within(clock, overdueMs, renewing) : renewing;
  }

  private apply(answer: RenewAnswer, sentAt: number, leftMs: number): void {
    const { clock, observer } = this.client.settings;
    if (this.stopped.signal.aborted) return;
    if (answer.outcome !== 'renewed') {
      // Released by another call with this hold's owner and token.
      this.lose(answer.outcome === 'lost' ? lossFacts(answer) : { cause: 'released' });
      return;
    }
    // Of two concurrent attempts the later one may be answered first.
    if (sentAt < this.renewedSince) return;
    this.renewedSince = sentAt;
    this.lastFailure = undefined;
    const latencyMs = clock.monotonic() - sentAt;
    const provenUntil = provenLeaseEnd({ sentAt, expiresInMs: answer.expiresInMs });
    this.expiresAt = answer.expiresAt;
    // A renewal never shortens a lease: a slow answer must not make less of it certain than before.
    const isProlonged = answer.renewalsStopped === undefined;
    this.provenUntil = isProlonged ? Math.max(this.provenUntil, provenUntil) : provenUntil;
    this.renewAt = sentAt + this.renewAfterMs(answer.expiresInMs);
    this.watchDeadline();
    notify(observer, 'renewed', { ...this.facts(), latencyMs, leftMs });
    this.passOnMessages(answer);
  }

  /** Passes on operators' messages, each once. A listener that throws does not end the renewals. */
  private passOnMessages({ askedToRelease, renewalsStopped }: Renewed): void {
    const { asked: askedBefore, renewalsStopped: stoppedBefore } = this;
    // Set first: listeners of the signal are called synchronously, and may read it.
    this.asked ??= askedToRelease ?? null;
    this.renewalsStopped ??= renewalsStopped ?? null;
    // A copy: a follower that joins during these calls receives the message on joining.
    const followers = [...this.followers];
    const remark = askedToRelease ?? renewalsStopped;
    if (remark) this.askedToRelease.abort(remark);
    for (const { onAskedToRelease, onRenewalsStopped } of followers) {
      if (askedToRelease && !askedBefore) callListener(onAskedToRelease, askedToRelease);
      if (renewalsStopped && !stoppedBefore) callListener(onRenewalsStopped, renewalsStopped);
    }
  }

  private endFollowers(reason: unknown): void {
    for (const { onEnd } of this.followers) onEnd?.(reason);
  }

  /**
   * A third of the lease, or of what is left if less: after renewals were stopped, or where the
   * namespace has come to allow only a shorter lease.
   */
  private renewAfterMs(expiresInMs: number): number {
    const { leaseMs } = this.request;
    return Math.max(Math.min(leaseMs, expiresInMs) / 3, Math.min(leaseMs / 30, RENEW_AFTER_MIN_MS));
  }

  private watchDeadline(): void {
    this.cancelDeadline();
    this.cancelDeadline = this.client.settings.clock.after(this.remainingMs(), () => {
      if (this.remainingMs() > 0) this.watchDeadline();
      else this.checkLost();
    });
  }
}

/** The result of `answering`; rejects with `UNKNOWN` after `ms`, without aborting it. */
function within<A>(clock: ClientClock, ms: number, answering: Promise<A>): Promise<A> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(ms, () =>
      reject(new LockyardError('UNKNOWN', `No answer within ${Math.round(ms)} ms.`)),
    );
    answering.finally(callOff).then(resolve, reject);
  });
}

/** An error in a listener is the caller's bug, and is reported as an unhandled rejection. */
function callListener(listener: ((remark: Remark) => void) | undefined, remark: Remark): void {
  void Promise.resolve().then(() => listener?.(remark));
}

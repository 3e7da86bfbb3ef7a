import type { Hold, LockHold } from './holding/lock-hold';
import { enclosingHold } from './holding/lock-scope';
import { workUnderGrant } from './holding/work-under-grant';
import { workWithin } from './holding/work-within';
import { environmentClient, type LockyardClient } from './lockyard-client';
import { lockAttributes } from './observing/lock-spans';
import { inLockSpan } from './observing/trace-context';
import {
  type OptionNames,
  optionsAndWork,
  refuseBadWait,
  refuseUnknownOptions,
} from './options/refuse-unknown-options';
import { awaitGrant, type LockRequest } from './waiting/await-grant';
import { notifyWaitEnded, observeWait } from './waiting/observe-wait';
import type { Mode, Remark } from './wire/wire';

export interface WithLockOptions {
  /** Default: one client for the process, made from `LOCKYARD_URL` and `LOCKYARD_API_KEY`. */
  client?: LockyardClient | undefined;
  /** Default: the client's. */
  namespace?: string | undefined;
  /** Default: the client's. */
  owner?: string | undefined;
  /**
   * How long the lock stays taken after this process dies: 100 ms to 24 h, default 30 s, or
   * `holdAtLeastMs` if that is more. Renewed at a third of it, so a shorter one frees sooner and
   * forgives less.
   */
  leaseMs?: number | undefined;
  /**
   * The lock stays taken for at least this long after the grant, even if the work ends sooner: for
   * work that several machines start at about the same time, and one of them should do. At most
   * `leaseMs`; default 0. The call settles when the work is done, and does not wait for it.
   */
  holdAtLeastMs?: number | undefined;
  /**
   * The timeout of the whole wait: 0 (now or never) to 10 minutes, or `Infinity`; default 1 minute.
   * A short one still gives up only after 1 s if no connection can be made, and after 5 s once the
   * server is connected but does not answer. An infinite one goes to the end of the queue every 9
   * minutes.
   */
  waitMs?: number | undefined;
  /**
   * Default: exclusive. Shared holds of one lock live together; so do holds in mode `permit`, as
   * long as their `permits` add up to no more than `capacity`.
   */
  mode?: Mode | undefined;
  /** In mode `permit`: how many permits to take together; default 1. */
  permits?: number | undefined;
  /**
   * Needed in mode `permit`: how many permits of this lock may be held at once, 1 to 10,000. All
   * callers name the same; another one than the present is `INVALID`, with that one as `capacity`.
   */
  capacity?: number | undefined;
  /**
   * Take a hold of one's own even within work that runs under this lock already. Otherwise the
   * inner call runs under the outer hold, without a request: `owner`, where it is given, must be
   * the same, and of the other options only `signal` and the two callbacks matter.
   */
  ownHold?: boolean | undefined;
  /** Enter again where this owner holds the lock in the same mode, also in another process. */
  reentrant?: boolean | undefined;
  /** Shown to operators with the hold, beside `host`, `pid` and `version`. */
  meta?: Record<string, string> | undefined;
  /**
   * Called once when an operator asks for the lock, as reported by a renewal. The work should end
   * soon, but need not; the hold stays valid. The work sees the same on `hold.askedToRelease`.
   */
  onAskedToRelease?: ((asked: Remark) => void) | undefined;
  /**
   * Called once when an operator has stopped the renewals, as reported by a renewal: the hold ends
   * at `hold.expiresAt`, however healthy this process is, unless the operator extends it.
   */
  onRenewalsStopped?: ((stopped: Remark) => void) | undefined;
  /** Gives up: leaves the queue, or aborts the work's own signal. */
  signal?: AbortSignal | undefined;
}

export const LOCK_OPTIONS: OptionNames<WithLockOptions> = {
  client: true,
  namespace: true,
  owner: true,
  leaseMs: true,
  holdAtLeastMs: true,
  waitMs: true,
  mode: true,
  permits: true,
  capacity: true,
  ownHold: true,
  reentrant: true,
  meta: true,
  onAskedToRelease: true,
  onRenewalsStopped: true,
  signal: true,
};

type Work<T> = (hold: Hold) => Promise<T> | T;

/**
 * Does `work` while holding the lock `name`: waits for it, renews it, releases it whatever happens,
 * and answers what the work answered.
 *
 * Within `work`, and in all that it awaits, `withLock` of the same lock by the same client runs
 * under this hold at once. What `work` leaves running when it ends does not hold the lock.
 *
 * An operator can ask for the lock, or stop its renewals; both reach the work by
 * `hold.askedToRelease`.
 *
 * Promises: the work starts only under a live hold; `signal` aborts as soon as the hold is known to
 * be lost or can no longer be proven; the promise settles after the work has.
 *
 * Rejects with
 * - `LockTimeout`: not granted within `waitMs`; the work never ran;
 * - `LockLost`: the hold ended before the work did; takes precedence over an error of the work,
 *   which is its `cause`;
 * - `ReleaseUnconfirmed`: the work is done under a good hold, its release was not answered;
 * - `LockUpgradeRefused`: within work under a shared hold of the lock, or with permits of it, for
 *   what would wait for that hold;
 * - `LockyardError`: refused, or no answer within the budget; the work never ran. An option that
 *   does not exist is `INVALID`, before a request is sent;
 * - the signal's reason, or whatever the work threw.
 *
 * What no lock can promise: a process that is paused (garbage collection, a stopped machine, a
 * blocked event loop) may still write after its lease, before it can notice. Only the guarded
 * resource can refuse that write: send `token` with it, and let the resource refuse any token below
 * the highest it has seen. `remainingMs()` right before a write narrows the gap, and never closes
 * it.
 */
export function withLock<T>(name: string, work: Work<T>): Promise<T>;
export function withLock<T>(name: string, options: WithLockOptions, work: Work<T>): Promise<T>;
export async function withLock<T>(
  name: string,
  ...rest: [Work<T>] | [WithLockOptions, Work<T>]
): Promise<T> {
  const { options, work } = optionsAndWork('withLock', rest);
  refuseUnknownOptions('withLock', options, LOCK_OPTIONS);
  refuseBadWait(options.waitMs);
  const client = options.client ?? environmentClient();
  const wish = requestOf(client, name, options);
  const outer = outerHold(client, wish, options);
  if (outer) return workWithin(outer, options, work);
  return inLockSpan(lockAttributes(wish), async (traceparent) => {
    const grant = await observeWait(client, {
      locks: [wish],
      attributes: lockAttributes(wish),
      signal: options.signal,
      wait: () => awaitGrant(client, wish, options.signal, traceparent),
      grantsOf: (granted) => [granted],
    });
    return workUnderGrant(client, wish, grant, options, work);
  });
}

function requestOf(
  { settings }: LockyardClient,
  name: string,
  options: WithLockOptions,
): LockRequest {
  return {
    namespace: options.namespace ?? settings.namespace,
    name,
    owner: options.owner ?? settings.owner,
    leaseMs: options.leaseMs ?? Math.max(30_000, options.holdAtLeastMs ?? 0),
    holdAtLeastMs: options.holdAtLeastMs,
    waitMs: options.waitMs ?? 60_000,
    mode: options.mode ?? 'exclusive',
    ...(options.permits === undefined ? {} : { permits: options.permits }),
    ...(options.capacity === undefined ? {} : { capacity: options.capacity }),
    reentrant: options.reentrant ?? false,
    meta: options.meta ?? {},
  };
}

/** The hold under which the caller already works, if that is enough. */
function outerHold(
  client: LockyardClient,
  wish: LockRequest,
  { ownHold, owner }: WithLockOptions,
): LockHold | null {
  if (ownHold) return null;
  try {
    const outer = enclosingHold({ ...wish, client, owner });
    if (outer) notifyWaitEnded(client, [wish], 'joined', 0);
    return outer;
  } catch (error) {
    notifyWaitEnded(client, [wish], 'failed', 0);
    throw error;
  }
}

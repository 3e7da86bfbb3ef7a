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
import { commonRequest } from './waiting/request-defaults';
import type { Mode, Remark } from './wire/wire';

export interface WithLockOptions {
  /** Default: one client for the process, made from `LOCKYARD_URL` and `LOCKYARD_API_KEY`. */
  client?: LockyardClient | undefined;
  /** Default: the client's. */
  namespace?: string | undefined;
  /** Default: the client's. */
  owner?: string | undefined;
  /**
   * How long the lock stays held after this process dies, in milliseconds: 100 ms to 24 h; default
   * 30 s, or `holdAtLeastMs` if that is more. Renewed every third of it: a shorter lease frees the
   * lock sooner, but survives only shorter outages.
   */
  leaseMs?: number | undefined;
  /**
   * The lock stays held for at least this long after the grant, in milliseconds, even if the work
   * ends sooner: for work that several machines start at about the same time and only one should
   * do. At most `leaseMs`; default 0. The call does not wait for it: it settles when the work is
   * done.
   */
  holdAtLeastMs?: number | undefined;
  /**
   * The timeout of the whole wait, in milliseconds: 0 (do not wait) to 10 minutes, or `Infinity`;
   * default 1 minute. Even a shorter wait retries for 1 s while no connection can be made, and for
   * 5 s while the server is connected but does not answer. An infinite wait moves to the end of the
   * queue every 9 minutes.
   */
  waitMs?: number | undefined;
  /**
   * Default: `exclusive`. A lock can have several shared holds at a time; so it can have several in
   * mode `permit`, as long as their `permits` add up to no more than `capacity`.
   */
  mode?: Mode | undefined;
  /** In mode `permit`: how many permits to acquire together; default 1. */
  permits?: number | undefined;
  /**
   * Required in mode `permit`: how many permits of this lock can be held at a time, 1 to 10,000.
   * The same in all callers; any other than the current one is refused as `INVALID`, with the
   * current one as the error's `capacity`.
   */
  capacity?: number | undefined;
  /**
   * Acquires a separate hold even within work that already runs under this lock. By default such an
   * inner call runs under the outer hold, without a request: `owner`, if given, must be the same,
   * and of the other options only `signal` and the two callbacks matter.
   */
  ownHold?: boolean | undefined;
  /**
   * Re-enters the lock if this owner already holds it in the same mode, even in another process.
   */
  reentrant?: boolean | undefined;
  /** Shown to operators with the hold, in addition to `host`, `pid` and `version`. */
  meta?: Record<string, string> | undefined;
  /**
   * Called once when an operator asks for the lock, as reported by a renewal. The work should end
   * soon, but need not; the hold stays valid. `hold.askedToRelease` aborts as well.
   */
  onAskedToRelease?: ((asked: Remark) => void) | undefined;
  /**
   * Called once when an operator has stopped the renewals, as reported by a renewal: the hold ends
   * at `hold.expiresAt`, however healthy this process is, unless the operator extends it.
   */
  onRenewalsStopped?: ((stopped: Remark) => void) | undefined;
  /** Its abort ends the call: it leaves the queue, or aborts `hold.signal`. */
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
 * Runs `work` while holding the lock `name`: waits for the lock, renews it, always releases it, and
 * resolves to what the work returned.
 *
 * Within `work`, and everything it awaits, `withLock` of the same lock by the same client runs
 * under this hold immediately. What `work` leaves running when it ends no longer holds the lock.
 *
 * An operator can ask for the lock, or stop its renewals; both abort `hold.askedToRelease`.
 *
 * Guarantees: the work starts only under a live hold; `hold.signal` aborts as soon as the hold is
 * known to be lost, or can no longer be proven live; the promise settles only after the work has.
 *
 * Rejects with
 * - `LockTimeout`: not granted within `waitMs`; the work never ran;
 * - `LockLost`: the hold ended before the work did; takes precedence over an error of the work,
 *   which is its `cause`;
 * - `ReleaseUnconfirmed`: the work is done, under a valid hold, but its release was not answered;
 * - `LockUpgradeRefused`: called within work under a shared hold or permits of the lock, for more
 *   than that hold grants;
 * - `LockyardError`: refused, or no answer in time; the work never ran. An unknown option is
 *   `INVALID`, before any request is sent;
 * - the signal's reason, or whatever the work threw.
 *
 * What no lock can guarantee: a process that is paused (garbage collection, a suspended machine, a
 * blocked event loop) may still write after its lease has expired, before it can notice. Only the
 * guarded resource can refuse that write: send `token` with it, and let the resource refuse any
 * token below the highest it has seen. `remainingMs()` right before a write narrows the gap, but
 * never closes it.
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
  const request = requestOf(client, name, options);
  const outer = outerHold(client, request, options);
  if (outer) return workWithin(outer, options, work);
  return inLockSpan(lockAttributes(request), async (traceparent) => {
    const grant = await observeWait(client, {
      locks: [request],
      attributes: lockAttributes(request),
      signal: options.signal,
      wait: () => awaitGrant(client, request, options.signal, traceparent),
      grantsOf: (granted) => [granted],
    });
    return workUnderGrant(client, request, grant, options, work);
  });
}

function requestOf(client: LockyardClient, name: string, options: WithLockOptions): LockRequest {
  return {
    ...commonRequest(client, options),
    name,
    mode: options.mode ?? 'exclusive',
    ...(options.permits === undefined ? {} : { permits: options.permits }),
    ...(options.capacity === undefined ? {} : { capacity: options.capacity }),
    reentrant: options.reentrant ?? false,
  };
}

/** The hold under which the caller already runs, if it covers the request; else null. */
function outerHold(
  client: LockyardClient,
  request: LockRequest,
  { ownHold, owner }: WithLockOptions,
): LockHold | null {
  if (ownHold) return null;
  try {
    const outer = enclosingHold({ ...request, client, owner });
    if (outer) notifyWaitEnded(client, [request], 'joined', 0);
    return outer;
  } catch (error) {
    notifyWaitEnded(client, [request], 'failed', 0);
    throw error;
  }
}

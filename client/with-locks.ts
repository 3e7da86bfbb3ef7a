import { LockyardError } from './errors';
import type { Hold } from './holding/lock-hold';
import { holdAround } from './holding/lock-scope';
import { type LockSetHold, lockSetHold } from './holding/lock-set-hold';
import { workUnderGrant } from './holding/work-under-grant';
import { environmentClient, type LockyardClient } from './lockyard-client';
import { inLockSpan } from './observing/trace-context';
import {
  optionsAndWork,
  refuseBadWait,
  refuseUnknownOptions,
} from './options/refuse-unknown-options';
import {
  awaitMultiLockGrant,
  type MultiLockGrants,
  type MultiLockRequest,
} from './waiting/await-multi-lock-grant';
import { notifyWaitEnded, observeWait } from './waiting/observe-wait';
import { SET_LOCK_FIELDS } from './wire/procedures';
import type { Mode } from './wire/wire';
import { LOCK_OPTIONS, type WithLockOptions } from './with-lock';

/** As for `withLock`; the two callbacks are called once for each lock that they concern. */
export type WithLocksOptions = Omit<WithLockOptions, OfOneLock>;

/** Options that a set as a whole does not have. */
type OfOneLock = 'mode' | 'permits' | 'capacity' | 'reentrant' | 'ownHold';

const {
  mode: _m,
  permits: _p,
  capacity: _c,
  reentrant: _r,
  ownHold: _o,
  ...OPTIONS
} = LOCK_OPTIONS;

/** A set takes no permits. */
type ModeInSet = Exclude<Mode, 'permit'>;

type Work<T> = (set: LockSetHold) => Promise<T> | T;

/** A lock by its name, taken exclusively; or with its mode. */
export type LockOfSet = string | { name: string; mode?: ModeInSet | undefined };

/**
 * Does `work` while holding all of 2 to 20 locks of one namespace: waits until all are granted at
 * once, renews each of them, releases all whatever happens, and answers what the work answered.
 * While it waits it holds none, so that such calls never deadlock, whatever their order.
 *
 * Promises and rejections are those of `withLock`, of any of the locks: the work has to end as soon
 * as one is lost, and `LockLost` says which. `LockTimeout` says which lock was in the way. Within
 * `work`, `withLock` of one of the locks runs under its hold at once; `withLocks` within work under
 * one of them would wait for itself, and is refused as `INVALID`.
 *
 * Not promised: that it is ever granted where its locks are never free at the same time. Then it
 * times out.
 */
export function withLocks<T>(locks: LockOfSet[], work: Work<T>): Promise<T>;
export function withLocks<T>(
  locks: LockOfSet[],
  options: WithLocksOptions,
  work: Work<T>,
): Promise<T>;
export async function withLocks<T>(
  locks: LockOfSet[],
  ...rest: [Work<T>] | [WithLocksOptions, Work<T>]
): Promise<T> {
  const { options, work } = optionsAndWork('withLocks', rest);
  refuseUnknownOptions('withLocks', options, OPTIONS);
  refuseBadWait(options.waitMs);
  for (const lock of locks) {
    if (typeof lock !== 'string')
      refuseUnknownOptions('A lock of withLocks', lock, SET_LOCK_FIELDS);
  }
  const client = options.client ?? environmentClient();
  const wish = requestOf(client, locks, options);
  refuseNested(client, wish);
  return inLockSpan(setAttributes(wish), async (traceparent) => {
    const set = await observeWait(client, {
      locks: locksOf(wish),
      attributes: setAttributes(wish),
      signal: options.signal,
      wait: () => awaitMultiLockGrant(client, wish, options.signal, traceparent),
      grantsOf: ({ byName }) => [...byName.values()],
    });
    return workUnderGrants(client, wish, set, options, work);
  });
}

const setAttributes = ({ namespace, locks }: MultiLockRequest) => ({
  'lockyard.namespace': namespace,
  'lockyard.locks': locks.map(({ name }) => name).join(', '),
});

/** The locks as observers know them. */
const locksOf = ({ namespace, locks }: MultiLockRequest) =>
  locks.map((lock) => ({ ...lock, namespace }));

function requestOf(
  { settings }: LockyardClient,
  locks: LockOfSet[],
  options: WithLocksOptions,
): MultiLockRequest {
  return {
    namespace: options.namespace ?? settings.namespace,
    locks: locks.map((lock) => {
      const { name, mode = 'exclusive' as const } =
        typeof lock === 'string' ? { name: lock } : lock;
      return { name, mode };
    }),
    owner: options.owner ?? settings.owner,
    leaseMs: options.leaseMs ?? Math.max(30_000, options.holdAtLeastMs ?? 0),
    holdAtLeastMs: options.holdAtLeastMs,
    waitMs: options.waitMs ?? 60_000,
    meta: options.meta ?? {},
  };
}

function refuseNested(client: LockyardClient, wish: MultiLockRequest): void {
  try {
    for (const { namespace, name } of locksOf(wish)) {
      if (!holdAround({ client, namespace, name, owner: undefined })) continue;
      const text = `"${name}" is held by the work that asks for it with others: that would wait for itself.`;
      throw new LockyardError('INVALID', text);
    }
  } catch (error) {
    notifyWaitEnded(client, locksOf(wish), 'failed', 0);
    throw error;
  }
}

/** The first lock around the second, and so on: each is kept, lost and released on its own. */
async function workUnderGrants<T>(
  client: LockyardClient,
  wish: MultiLockRequest,
  { byName, release }: MultiLockGrants,
  options: WithLocksOptions,
  work: (set: LockSetHold) => Promise<T> | T,
): Promise<T> {
  const { locks, ...common } = wish;
  const held: Hold[] = [];
  const under = async (signal: AbortSignal | undefined): Promise<T> => {
    const lock = locks[held.length];
    if (!lock) return work(lockSetHold(held, signal ?? new AbortController().signal));
    const grant = byName.get(lock.name);
    if (!grant) throw new LockyardError('INTERNAL', `"${lock.name}" was not granted with its set.`);
    const single = { ...common, ...lock, reentrant: false };
    return workUnderGrant(client, single, grant, { ...options, signal }, (hold) => {
      held.push(hold);
      return under(hold.signal);
    });
  };
  try {
    return await under(options.signal);
  } finally {
    // If acquiring was interrupted, some holds have no work under them and must be released here.
    if (held.length < locks.length) await release();
  }
}

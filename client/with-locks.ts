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
import { commonRequest } from './waiting/request-defaults';
import { SET_LOCK_FIELDS } from './wire/procedures';
import type { Mode } from './wire/wire';
import { LOCK_OPTIONS, type WithLockOptions } from './with-lock';

/** As for `withLock`; the two callbacks are called once for each lock that they concern. */
export type WithLocksOptions = Omit<WithLockOptions, OfOneLock>;

/** The options that apply to a single lock only. */
type OfOneLock = 'mode' | 'permits' | 'capacity' | 'reentrant' | 'ownHold';

const {
  mode: _m,
  permits: _p,
  capacity: _c,
  reentrant: _r,
  ownHold: _o,
  ...OPTIONS
} = LOCK_OPTIONS;

/** A set cannot include permits. */
type ModeInSet = Exclude<Mode, 'permit'>;

type Work<T> = (set: LockSetHold) => Promise<T> | T;

/** A lock's name, to acquire it in exclusive mode; or its name and mode. */
export type LockOfSet = string | { name: string; mode?: ModeInSet | undefined };

/**
 * Runs `work` while holding all of 2 to 20 locks of one namespace: waits until all are granted
 * together, renews each of them, always releases all, and resolves to what the work returned. While
 * it waits it holds none, so such calls never deadlock, in whatever order they name their locks.
 *
 * Guarantees and rejections are those of `withLock`, for each of the locks: the work has to end as
 * soon as one is lost, and `LockLost` names it. `LockTimeout` names a lock that was not free.
 * Within `work`, `withLock` of one of the locks runs under its hold immediately; `withLocks` of a
 * lock under which the calling work runs would wait for itself, and is refused as `INVALID`.
 *
 * Not guaranteed: a grant if the locks are never free at the same time. Then it times out.
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
  const request = requestOf(client, locks, options);
  refuseNested(client, request);
  return inLockSpan(setAttributes(request), async (traceparent) => {
    const set = await observeWait(client, {
      locks: locksOf(request),
      attributes: setAttributes(request),
      signal: options.signal,
      wait: () => awaitMultiLockGrant(client, request, options.signal, traceparent),
      grantsOf: ({ byName }) => [...byName.values()],
    });
    return workUnderGrants(client, request, set, options, work);
  });
}

const setAttributes = ({ namespace, locks }: MultiLockRequest) => ({
  'lockyard.namespace': namespace,
  'lockyard.locks': locks.map(({ name }) => name).join(', '),
});

/** The locks with their namespace, as observers receive them. */
const locksOf = ({ namespace, locks }: MultiLockRequest) =>
  locks.map((lock) => ({ ...lock, namespace }));

function requestOf(
  client: LockyardClient,
  locks: LockOfSet[],
  options: WithLocksOptions,
): MultiLockRequest {
  return {
    ...commonRequest(client, options),
    locks: locks.map((lock) => {
      const { name, mode = 'exclusive' as const } =
        typeof lock === 'string' ? { name: lock } : lock;
      return { name, mode };
    }),
  };
}

function refuseNested(client: LockyardClient, request: MultiLockRequest): void {
  try {
    for (const { namespace, name } of locksOf(request)) {
      if (!holdAround({ client, namespace, name, owner: undefined })) continue;
      throw new LockyardError(
        'INVALID',
        `"${name}" is held by the work that requests it with others: it would wait for itself.`,
      );
    }
  } catch (error) {
    notifyWaitEnded(client, locksOf(request), 'failed', 0);
    throw error;
  }
}

/**
 * Nests the work under each lock in turn: each is renewed, lost and released on its own, but all of
 * them end as soon as the work has: one whose release takes long must not make others expire.
 */
async function workUnderGrants<T>(
  client: LockyardClient,
  request: MultiLockRequest,
  { byName, release }: MultiLockGrants,
  options: WithLocksOptions,
  work: (set: LockSetHold) => Promise<T> | T,
): Promise<T> {
  const { locks, ...common } = request;
  const held: Hold[] = [];
  const over = new AbortController();
  const innermost = async (signal = new AbortController().signal): Promise<T> => {
    try {
      return await work(lockSetHold(held, signal));
    } finally {
      over.abort();
    }
  };
  const under = async (signal: AbortSignal | undefined): Promise<T> => {
    const lock = locks[held.length];
    if (!lock) return innermost(signal);
    const grant = byName.get(lock.name);
    if (!grant) throw new LockyardError('INTERNAL', `"${lock.name}" was not granted with its set.`);
    const single = { ...common, ...lock, reentrant: false };
    const limits = { ...options, signal, over: over.signal };
    return workUnderGrant(client, single, grant, limits, (hold) => {
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

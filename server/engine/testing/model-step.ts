import type { Mode } from '../../contract/primitives';
import type { CounterCommand } from '../../core/counter/counter-command';
import type { LockCommand } from '../../core/lock/lock-command';
import type { MultiLockCommand, MultiLockMode } from '../../core/multi-lock/multi-lock-command';
import { anonymousRequest, requestIdentity } from '../request-identity';

/** The next step. Locks and counters are identified by their index in a short list. */
export type ModelStep =
  | { kind: 'lock'; lock: number; command: LockCommand }
  | { kind: 'counter'; counter: number; command: CounterCommand }
  | { kind: 'set'; command: MultiLockCommand }
  /**
   * Time passes: less than a short lease, more than one, or longer than answers are stored.
   */
  | { kind: 'pass'; span: 'little' | 'lease' | 'long' }
  /** The process dies suddenly, and another one replaces it. */
  | { kind: 'die' };

/** The locks, counters, holds and waiters that a step can concern. */
export interface StepContext {
  locks: string[];
  counters: string[];
  /** The grants of a lock, newest first. */
  granted(lock: number): { service: string; owner: string; token: number }[];
  /** The tickets of a lock's waiters. */
  waiting(lock: number): number[];
}

/** Shorter than the pause called `lease`, and longer than any step takes. */
export const SHORT_LEASE_MS = 400;

const LONG_LEASE_MS = 60_000;
/** Longer than answers are stored. */
const HOURS_MS = 5 * 60 * 60_000;
const NAMESPACE = 'model';

/** Draws the next step. @param random returns numbers from 0 to 1 */
export function nextStep(random: () => number, world: StepContext): ModelStep {
  const pick = <T>(...choices: T[]) => choices[Math.floor(random() * choices.length)] as T;
  const lock = Math.floor(random() * world.locks.length);
  const name = world.locks[lock] ?? '';
  const service = pick('orders', 'orders', 'billing');
  const owner = pick('w1', 'w2', 'w3');
  const mode = pick<Mode>('exclusive', 'exclusive', 'shared', 'permit', 'permit');
  const leaseMs = pick(SHORT_LEASE_MS, LONG_LEASE_MS);
  const idOf = (verb: string, about: string, input: Record<string, unknown>) =>
    requestIdentity({
      service,
      verb,
      namespace: NAMESPACE,
      name: about,
      requestId: pick('a', 'b', 'c'),
      input,
    });
  const maybeId = (verb: string, about: string, input: Record<string, unknown>) =>
    random() < 0.5 ? idOf(verb, about, input) : null;
  const hold = pick(...world.granted(lock).slice(0, 2)) ?? { service, owner, token: 7 };
  const mine = random() < 0.85 ? hold : { ...hold, owner };
  const by = { by: 'ada', reason: 'it hangs' };
  const operator = (verb: string) => ({
    ...by,
    token: hold.token,
    request: idOf(verb, name, { token: hold.token }),
  });

  // Not drawn, so that a seed still gives the same steps as before.
  const trace = owner === 'w1' ? {} : { traceparent: `00-trace of ${service}-${owner}-01` };
  const acquire = (): ModelStep => {
    const asked = {
      owner,
      leaseMs,
      waitMs: pick(0, 0, 5_000, 30_000),
      mode,
      ...(mode === 'permit' ? { permits: pick(1, 1, 2, 4), capacity: pick(4, 4, 4, 5) } : {}),
      reentrant: random() < 0.3,
      meta: {},
      ...pick({}, {}, { holdAtLeastMs: SHORT_LEASE_MS }, { holdAtLeastMs: leaseMs }),
    };
    const request =
      asked.waitMs > 0
        ? idOf('acquire', name, asked)
        : (maybeId('acquire', name, asked) ?? anonymousRequest());
    const command = { verb: 'acquire', service, ...asked, ...trace, request } as const;
    return { kind: 'lock', lock, command };
  };
  const onHold = (command: LockCommand): ModelStep => ({ kind: 'lock', lock, command });
  const multiLock = (): ModelStep => {
    const locks = world.locks
      .filter(() => random() < 0.7)
      .map((each) => ({ name: each, mode: pick<MultiLockMode>('exclusive', 'shared') }));
    if (locks.length < 2) return acquire();
    const least = pick({}, {}, {}, { holdAtLeastMs: leaseMs });
    const asked = { owner, locks, leaseMs, waitMs: 0, meta: {}, ...least };
    const about = locks.map((each) => each.name).join();
    const request = maybeId('acquireMany', about, asked) ?? anonymousRequest();
    return random() < 0.7
      ? { kind: 'set', command: { verb: 'acquireSet', service, ...asked, ...trace, request } }
      : {
          kind: 'set',
          command: {
            verb: 'cancelSet',
            service,
            owner,
            names: locks.map((each) => each.name),
            request: idOf('acquireMany', about, {}),
          },
        };
  };
  const count = (): ModelStep => {
    const counter = Math.floor(random() * world.counters.length);
    const about = world.counters[counter] ?? '';
    const command = pick<() => CounterCommand>(
      () => ({
        verb: 'create',
        initial: 3,
        floor: 0,
        ceiling: 9,
        party: { service },
        request: null,
      }),
      ...Array.from({ length: 4 }, () => (): CounterCommand => {
        const delta = pick(-4, -1, 1, 2, 5);
        const request = maybeId('add', about, { delta });
        return { verb: 'add', delta, party: { service }, request };
      }),
      () => ({
        verb: 'adjust',
        seenValue: pick(3, 4, 5, null),
        value: pick(0, 6),
        party: by,
        request: idOf('adjust', about, by),
      }),
      () => {
        const delta = pick(-3, 1, 4);
        const request = idOf('adjustBy', about, { delta });
        return { verb: 'adjustBy', delta, party: by, request };
      },
      () => ({
        verb: 'setBounds',
        seenBounds: { floor: 0, ceiling: 9 },
        floor: 0,
        ceiling: pick(5, 9, 12),
        party: by,
        request: idOf('setBounds', about, by),
      }),
      () => ({ verb: 'get' }),
    );
    return { kind: 'counter', counter, command: command() };
  };
  const release = (): ModelStep =>
    onHold({
      verb: 'release',
      ...mine,
      request: maybeId('release', name, { token: mine.token }),
    });

  return pick<() => ModelStep>(
    ...[
      acquire,
      acquire,
      acquire,
      acquire,
      acquire,
      release,
      release,
      release,
      multiLock,
      count,
      count,
    ],
    () => onHold({ verb: 'renew', ...mine, leaseMs }),
    () => onHold({ verb: 'renew', ...mine, leaseMs: HOURS_MS }),
    () =>
      onHold({
        verb: 'cancel',
        service,
        owner,
        request: idOf('acquire', name, {}),
      }),
    () => onHold({ verb: 'inspect' }),
    () => onHold({ verb: 'check', token: hold.token }),
    () => onHold({ verb: 'forceRelease', ...operator('forceRelease') }),
    () => {
      const ticket = pick(...world.waiting(lock)) ?? 1;
      const request = idOf('reassign', name, { token: hold.token, ticket });
      return onHold({ verb: 'reassign', token: hold.token, ticket, ...by, request });
    },
    () => onHold({ verb: 'extend', extendMs: 5_000, ...operator('extend') }),
    () => onHold({ verb: pick('askRelease', 'stopRenewals'), ...operator('notice') }),
    () =>
      onHold({
        verb: pick('freeze', 'unfreeze', 'unfreeze'),
        ...by,
        request: idOf('freeze', name, { nonce: random() < 0.5 }),
      }),
    () =>
      onHold({
        verb: 'setCapacity',
        seen: pick(4, 4, 5, 6),
        capacity: pick(2, 4, 6),
        ...by,
        request: idOf('setCapacity', name, by),
      }),
    () => onHold({ verb: 'expireAndPromote' }),
    () => {
      const { token } = hold;
      return onHold({ verb: 'revertGrant', token, request: maybeId('revert', name, { token }) });
    },
    () => ({ kind: 'pass', span: pick('little', 'little', 'lease', 'long') }),
    () => ({ kind: 'pass', span: pick('little', 'lease') }),
    () => (random() < 0.15 ? { kind: 'die' } : acquire()),
  )();
}

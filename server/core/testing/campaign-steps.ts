import fc from 'fast-check';
import type { Mode } from '../../contract/primitives';

/**
 * When a decision is written: immediately, never (the swap was lost), after a delay, or some steps
 * later, when the record may have changed.
 */
export type Fate = 'now' | 'never' | 'slowly' | 'later';

export interface Carried {
  process: string;
  fate: Fate;
  /** How long a slow write takes. */
  delayMs: number;
  /** How far ahead of the store's clock the decision is made. */
  skewMs: number;
}

/** An operator's action on a hold. */
export type OperatorAct = 'forceRelease' | 'reassign' | 'extend' | 'askRelease' | 'stopRenewals';

/** Numbers named `nth` pick an existing request or hold, counted from the newest. */
export type Step =
  | (Carried & {
      act: 'acquire';
      service: string;
      owner: string;
      leaseMs: number;
      /** `holdAtLeastMs` as a share of the lease. */
      leastShare: number;
      waitMs: number;
      mode: Mode;
      /** In mode permit. */
      permits: number;
      capacity: number;
      reentrant: boolean;
      named: boolean;
    })
  | (Carried & { act: 'repeat'; nth: number; otherInput: boolean })
  | (Carried & { act: 'cancel' | 'giveUp' | 'detach'; nth: number })
  | (Carried & {
      act: 'renew' | 'release';
      nth: number;
      /** Who makes the claim: the holder, another owner or another service. */
      by: 'holder' | 'owner' | 'service';
      leaseMs: number;
      /** One of few request ids; null for none. */
      requestId: string | null;
    })
  | (Carried & { act: OperatorAct; nth: number; ms: number; requestId: string })
  | (Carried & { act: 'freeze' | 'unfreeze'; requestId: string })
  | (Carried & { act: 'setCapacity'; capacity: number; requestId: string })
  | (Carried & { act: 'revertGrant'; nth: number; isNamed: boolean })
  | (Carried & { act: 'expireAndPromote' })
  | { act: 'pass'; ms: number }
  | { act: 'setDelay'; ms: number }
  | { act: 'write'; nth: number }
  | { act: 'kill'; process: string };

/** How far ahead of its true value a process may take the store's clock to be. */
export const SKEW_MAX_MS = 300;

const carried = {
  process: fc.constantFrom('p1', 'p2', 'p3'),
  fate: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fate>('now') },
    { weight: 1, arbitrary: fc.constant<Fate>('never') },
    { weight: 1, arbitrary: fc.constant<Fate>('slowly') },
    { weight: 1, arbitrary: fc.constant<Fate>('later') },
  ),
  delayMs: fc.integer({ min: 1, max: 2_000 }),
  skewMs: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: SKEW_MAX_MS }) },
  ),
};

const leaseMs = fc.constantFrom(100, 300, 1_000, 3_000);
const nth = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 8 }) },
);
const requestId = fc.constantFrom('a', 'b', 'c');

const acquire = fc.record({
  act: fc.constant('acquire' as const),
  ...carried,
  service: fc.constantFrom('orders', 'billing'),
  owner: fc.constantFrom('w1', 'w2'),
  leaseMs,
  leastShare: fc.constantFrom(0, 0, 0.5, 1),
  waitMs: fc.constantFrom(0, 200, 1_500, 6_000, 6_000, 6_000),
  mode: fc.constantFrom<Mode>('exclusive', 'exclusive', 'shared', 'permit', 'permit'),
  permits: fc.constantFrom(1, 1, 2, 4),
  capacity: fc.constantFrom(4, 4, 4, 5),
  reentrant: fc.boolean(),
  named: fc.boolean(),
});

const repeat = fc.record({
  act: fc.constant('repeat' as const),
  ...carried,
  nth,
  otherInput: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});

const end = fc.record({
  act: fc.constantFrom('cancel' as const, 'giveUp' as const, 'detach' as const, 'detach' as const),
  ...carried,
  nth,
});

const claim = fc.record({
  act: fc.constantFrom('renew' as const, 'release' as const, 'release' as const),
  ...carried,
  nth,
  by: fc.oneof(
    { weight: 6, arbitrary: fc.constant('holder' as const) },
    { weight: 1, arbitrary: fc.constant('owner' as const) },
    { weight: 1, arbitrary: fc.constant('service' as const) },
  ),
  leaseMs,
  requestId: fc.option(requestId, { freq: 2 }),
});

const operate = fc.record({
  act: fc.constantFrom<OperatorAct>(
    'forceRelease',
    'forceRelease',
    'reassign',
    'reassign',
    'reassign',
    'extend',
    'askRelease',
    'stopRenewals',
  ),
  ...carried,
  nth,
  ms: fc.constantFrom(1_000, 5_000),
  requestId,
});

const freeze = fc.record({
  act: fc.constantFrom('freeze' as const, 'unfreeze' as const, 'unfreeze' as const),
  ...carried,
  requestId,
});
const setCapacity = fc.record({
  act: fc.constant('setCapacity' as const),
  ...carried,
  capacity: fc.integer({ min: 1, max: 6 }),
  requestId,
});
const setDelay = fc.record({
  act: fc.constant('setDelay' as const),
  ms: fc.constantFrom(0, 400, 2_000),
});
const revertGrant = fc.record({
  act: fc.constant('revertGrant' as const),
  ...carried,
  nth,
  isNamed: fc.boolean(),
});
const expireAndPromote = fc.record({ act: fc.constant('expireAndPromote' as const), ...carried });
const write = fc.record({ act: fc.constant('write' as const), nth });
const kill = fc.record({ act: fc.constant('kill' as const), process: carried.process });
const pass = fc.record({
  act: fc.constant('pass' as const),
  ms: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(1, 50, 99, 100, 250, 300, 1_000, 2_000) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 700 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 8_000 }) },
  ),
});

/** Events around one lock: services, owners, processes, time, deaths, lost and late writes. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: acquire },
    { weight: 5, arbitrary: repeat },
    { weight: 4, arbitrary: end },
    { weight: 9, arbitrary: claim },
    { weight: 4, arbitrary: operate },
    { weight: 2, arbitrary: freeze },
    { weight: 2, arbitrary: setCapacity },
    { weight: 1, arbitrary: setDelay },
    { weight: 1, arbitrary: revertGrant },
    { weight: 4, arbitrary: expireAndPromote },
    { weight: 3, arbitrary: write },
    { weight: 9, arbitrary: pass },
    { weight: 1, arbitrary: kill },
  ),
  { minLength: 8, maxLength: 60, size: 'max' },
);

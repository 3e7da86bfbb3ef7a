/** The public surface of the package `lockyard`. */

export { type AcquiredHold, acquireHold } from './acquire-hold';
export type { LockyardClientOptions } from './client-settings';
export {
  LockLost,
  LockTimeout,
  LockUpgradeRefused,
  LockyardError,
  type LossFacts,
  ReleaseUnconfirmed,
} from './errors';
export type { Hold } from './holding/lock-hold';
export type { LockSetHold } from './holding/lock-set-hold';
export { type LeadOptions, lead, type Term, type TermEnd } from './lead';
export { LockyardClient, type Owned } from './lockyard-client';
export type {
  HoldLost,
  HoldReleased,
  HoldRenewed,
  LockObserver,
  ObservedLock,
  RequestFailed,
  WaitEnded,
} from './observing/lock-observer';
export type { Chance } from './platform/chance';
export type { ClientClock } from './platform/client-clock';
export { type HeldByOthers, tryWithLock, type WorkDone } from './try-with-lock';
export {
  type Leader,
  type WatchedLock,
  type WatchLeaderOptions,
  type WatchLocksOptions,
  watchLeader,
  watchLocks,
} from './watching/watch-locks';
export type { CallOptions } from './wire/send-request';
export type * from './wire/wire';
export { type WithLockOptions, withLock } from './with-lock';
export { type LockOfSet, type WithLocksOptions, withLocks } from './with-locks';

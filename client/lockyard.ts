/** The public surface of the package `lockyard`. */
export type { Chance } from './chance';
export type { ClientClock } from './client-clock';
export type { LockyardClientOptions } from './client-settings';
export type { Hold } from './lock-hold';
export { LockLost, type LossFacts } from './lock-lost';
export type {
  HoldLost,
  HoldReleased,
  HoldRenewed,
  LockObserver,
  ObservedLock,
  RequestFailed,
  WaitEnded,
} from './lock-observer';
export type { LockSetHold } from './lock-set-hold';
export { LockTimeout } from './lock-timeout';
export { LockUpgradeRefused } from './lock-upgrade-refused';
export { LockyardClient, type Owned } from './lockyard-client';
export { LockyardError } from './lockyard-error';
export { ReleaseUnconfirmed } from './release-unconfirmed';
export type { CallOptions } from './send-request';
export type * from './set-wire';
export type * from './wire';
export { type WithLockOptions, withLock } from './with-lock';
export { type LockOfSet, type WithLocksOptions, withLocks } from './with-locks';

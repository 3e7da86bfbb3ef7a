import { AsyncLocalStorage } from 'node:async_hooks';
import { LockUpgradeRefused } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import type { Mode } from '../wire/wire';
import type { LockHold } from './lock-hold';

/** Work that runs under a hold, and the work within which it was begun. */
interface Scope {
  hold: LockHold;
  outer: Scope | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work` so that whatever it calls or starts can find the hold while the work lasts. */
export function runUnderHold<T>(hold: LockHold, work: () => T): T {
  return scopes.run({ hold, outer: firstOpen(scopes.getStore()) }, work);
}

/** A lock that is requested, perhaps within other work. */
interface InnerLock {
  client: LockyardClient;
  namespace: string;
  name: string;
  /** Undefined if any owner will do. */
  owner: string | undefined;
}

/** The mode in which it is requested. */
export interface InnerRequest extends InnerLock {
  mode: Mode;
  /** In mode permit. */
  permits?: number | undefined;
}

/**
 * The hold under which the calling work already runs; null if there is none, and the service has to
 * be asked. A hold whose work has ended does not count, even for inner work that is still running.
 *
 * Throws `LockLost` when the hold is lost, or its lease may have expired: work that relies on it
 * must stop, and a new request would hide that. Throws `LockUpgradeRefused` if the request needs
 * more than the hold has, and so would wait for that hold itself.
 */
export function enclosingHold(request: InnerRequest): LockHold | null {
  const hold = holdAround(request);
  if (hold) refuseUpgrade(hold, request);
  return hold;
}

/** The same, whatever the mode of the hold. */
export function holdAround(lock: InnerLock): LockHold | null {
  for (let scope = firstOpen(scopes.getStore()); scope; scope = scope.outer) {
    const { hold } = scope;
    if (!isSameLock(hold, lock)) continue;
    const lost = hold.checkLost();
    if (lost) throw lost;
    return hold;
  }
  return null;
}

/** An exclusive hold covers any request, a shared one shared requests, permits as many permits. */
function refuseUpgrade({ request: held, token }: LockHold, request: InnerRequest): void {
  const { name, mode, permits = 1 } = request;
  if (held.mode === 'exclusive') return;
  if (mode !== held.mode) {
    const how = held.mode === 'shared' ? 'shared' : 'with permits';
    throw new LockUpgradeRefused(name, token, how, mode);
  }
  if (mode === 'permit' && permits > (held.permits ?? 1)) {
    throw new LockUpgradeRefused(name, token, 'with permits', `a request for ${permits} permits`);
  }
}

function isSameLock({ client, request: held }: LockHold, request: InnerLock): boolean {
  return (
    client === request.client &&
    held.namespace === request.namespace &&
    held.name === request.name &&
    (request.owner === undefined || held.owner === request.owner)
  );
}

/** Removes ended scopes from the chain, which would grow for ever if work keeps starting work. */
function firstOpen(scope: Scope | undefined): Scope | undefined {
  let open = scope;
  while (open?.hold.isOver) open = open.outer;
  if (open) open.outer = firstOpen(open.outer);
  return open;
}

import type { LockyardClient } from '../lockyard-client';
import type { LockRequest } from './await-grant';

const LEASE_MS = 30_000;
const WAIT_MS = 60_000;

/** What a request for one lock has in common with one for several. */
type CommonRequest = Pick<
  LockRequest,
  'namespace' | 'owner' | 'leaseMs' | 'holdAtLeastMs' | 'waitMs' | 'meta'
>;

/** The options of a caller, where they are given; else the client's, or these defaults. */
export function commonRequest(
  { settings }: LockyardClient,
  options: { [Option in keyof CommonRequest]?: CommonRequest[Option] | undefined },
): CommonRequest {
  const { holdAtLeastMs } = options;
  return {
    namespace: options.namespace ?? settings.namespace,
    owner: options.owner ?? settings.owner,
    leaseMs: options.leaseMs ?? defaultLeaseMs(holdAtLeastMs),
    holdAtLeastMs,
    waitMs: options.waitMs ?? WAIT_MS,
    meta: options.meta ?? {},
  };
}

/** The lease in milliseconds where none is given: at least `holdAtLeastMs`. */
export function defaultLeaseMs(holdAtLeastMs = 0): number {
  return Math.max(LEASE_MS, holdAtLeastMs);
}

import { type BackendHealth, healthOfKeeper } from '@/server/contract/console/backend-health';
import type { LockDetail, LockPage, LockRow } from '@/server/contract/console/lock-row';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';

/**
 * What a row of the list contains about its lock, for the lock's page to show until the server
 * answers. It is not fresh, so no action is possible. Of the waiters only the number is known.
 */
export function knownDetail(row: LockRow, { backends, asOf }: LockPage): LockDetail {
  return {
    row,
    holds: row.hold ? [row.hold] : [],
    waiters: [],
    lastToken: row.hold?.token ?? row.ended?.token ?? 0,
    minValidToken: 0,
    backend: {
      ...(healthOfKeeper(backends, row) ?? unknownBackend(row.backend)),
      id: row.backend,
    },
    policy: DEFAULT_POLICY,
    asOf,
    fresh: false,
  };
}

const unknownBackend = (id: string): BackendHealth => ({
  id,
  kind: 'sqlite',
  reachable: false,
  latencyMs: 0,
  silentForMs: 0,
  clockOffsetMs: 0,
});

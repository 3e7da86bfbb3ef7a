import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';

/** Whether a backend grants nothing at the moment, even if it responds. */
export function isClosed({ id }: BackendHealth, guarantees: readonly GuaranteeRow[]): boolean {
  return guarantees.some(({ backend, closedBecause }) => backend === id && closedBecause !== null);
}

/** How long a backend, or a shard of it, grants nothing after a data loss, in ms; 0: it grants. */
export function pausedForMs({ loss, shards = [] }: BackendHealth): number {
  return Math.max(0, ...[{ loss }, ...shards].map((each) => each.loss?.quietForMs ?? 0));
}

/** Whether a backend responds and grants locks. */
export function isHealthy(backend: BackendHealth, guarantees: readonly GuaranteeRow[]): boolean {
  return backend.reachable && !isClosed(backend, guarantees) && pausedForMs(backend) === 0;
}

/** Silent backends first, then those that grant nothing, then the others; else in their order. */
export function sortBySeverity(
  backends: readonly BackendHealth[],
  guarantees: readonly GuaranteeRow[],
): BackendHealth[] {
  const rank = (backend: BackendHealth) => {
    if (!backend.reachable) return 0;
    return isHealthy(backend, guarantees) ? 2 : 1;
  };
  return [...backends].sort((a, b) => rank(a) - rank(b));
}

import { blockedCallers } from '../core/status/blocking-time';
import type { Monitoring } from './monitoring';
import type { MonitoringContext } from './monitoring-context';
import type { LiveView } from './open-live-view';
import type { ProjectionRow } from './projection/projection-row';
import { DeadlockHistory } from './waits/deadlock-history';
import { HolderView } from './waits/holder-view';
import { WaitWatch } from './waits/wait-watch';

/** Who waits for whom, and who holds what. */
type WaitViews = Pick<Monitoring, 'waits' | 'deadlocks' | 'holders'>;

/** @param isRunner whether this process records deadlocks */
export function openWaitViews(
  { backends, database, clock, log, namespaces, retention }: MonitoringContext,
  { projection, evidence }: LiveView,
  isRunner: () => boolean,
): WaitViews {
  const { table } = projection;
  const statusOf = ({ key }: ProjectionRow) =>
    projection.row(key.namespace, key.name)?.status ?? 'unknown';
  const blockedBy = ({ id, key, facts }: ProjectionRow, now: number) =>
    blockedCallers(facts, projection.baselines.of(id, key), now);
  const shared = { table, backends: projection.stores.states(backends), clock, statusOf };
  const waits = new WaitWatch({ ...shared, blockedBy });
  const { historyMs } = retention;
  const deadlocks = new DeadlockHistory({
    database,
    clock,
    log,
    watch: waits,
    isRunner,
    historyMs,
  });
  const lockDelayMsOf = (namespace: string) => namespaces.policyOf(namespace).lockDelayMs;
  const holders = new HolderView({ ...shared, waits, evidence, lockDelayMsOf });
  return { waits, deadlocks, holders };
}

import { HolderEvidence } from './liveness/holder-evidence';
import type { MonitoringContext } from './monitoring-context';
import { LockProjection } from './projection/lock-projection';
import { KnownRefusals } from './refusals/known-refusals';
import { RefusalCounter } from './refusals/refusal-counter';
import { RefusalSync } from './refusals/refusal-sync';
import { HoldBaselines } from './rollups/hold-baselines';

/** The locks and counters as last read, and all that their statuses depend on. */
export interface LiveView {
  projection: LockProjection;
  evidence: HolderEvidence;
  holdBaselines: HoldBaselines;
  /** Counts the attempts that this process refuses. */
  refusals: RefusalCounter;
  /** Brings these counts together with those of other processes. */
  refusalSync: RefusalSync;
}

export function openLiveView(context: MonitoringContext): LiveView {
  const { backends, stores, database, clock, processId } = context;
  const holdBaselines = new HoldBaselines(database, stores, clock);
  const evidence = new HolderEvidence(database, backends, clock);
  const known = new KnownRefusals();
  const projection = new LockProjection({ ...context, holdBaselines, refusals: known, evidence });
  const refusals = new RefusalCounter();
  const refusalSync = new RefusalSync({
    database,
    processId,
    counter: refusals,
    known,
    onChange: (id) => projection.table.recheck(id),
    slice: () => projection.table.slice(),
  });
  return { projection, evidence, holdBaselines, refusals, refusalSync };
}

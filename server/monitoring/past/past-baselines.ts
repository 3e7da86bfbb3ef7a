import type { Database } from '@/db/database';
import type { ProvenDeath } from '../../contract/console/past/incident';
import type { Hold } from '../../core/lock/lock-record';
import type { WitnessReport } from '../../core/status/holder-liveness';
import {
  type GaveUp,
  holdLimitMs,
  type LockBaselines,
  longestHold,
} from '../../core/status/stuck-reason';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { lastTimeout } from '../history/last-timeout';
import type { TimeSlice } from '../lock-list/order/time-slice';
import type { NamespaceLookup } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import type { HoldBaselines } from '../rollups/hold-baselines';
import { readPastRefusals } from './past-refusals';

/** For at most this many locks it is looked up whether a waiter had timed out. */
const LOOKED_INTO_MAX = 100;

interface PastBaselineSources {
  database: Database;
  /** The locks as they were, each on the clock of its backend. */
  rows: readonly ProjectionRow[];
  /** By the id of a lock's row: the processes that were proven dead by then. */
  deaths: ReadonlyMap<string, readonly ProvenDeath[]>;
  holdBaselines: Pick<HoldBaselines, 'of'>;
  namespaces: Pick<NamespaceLookup, 'policyOf'>;
  slice: TimeSlice;
}

/** The baselines of locks at an instant of the past, by the ids of their rows. */
export interface PastBaselines {
  hasDeaths: boolean;
  of(id: string, key: RecordKey): LockBaselines;
  /** The proof that the process of a hold was dead by then; empty if there was none. */
  reportsOn(id: string, hold: Hold): readonly WitnessReport[];
}

/**
 * Reads the baselines of locks at an instant: the refusals, timeouts and proofs of death known by
 * then, and the typical holds and the policies of now.
 */
export async function readPastBaselines(from: PastBaselineSources): Promise<PastBaselines> {
  const { database, rows, deaths, holdBaselines, namespaces, slice } = from;
  const held = rows.flatMap((row) => {
    const longest = longestHold(row.record.holds, row.readAt);
    return longest ? [{ row, longest }] : [];
  });
  const refusals = await readPastRefusals(
    database,
    held.map(({ row, longest: { grantedAt } }) => {
      const { id, publicBackend: backend, key, readAt: at } = row;
      return { id, backend, lockId: recordId(key), at, grantedAt };
    }),
    slice,
  );
  const gaveUp = new Map<string, GaveUp>();
  const reportsOn: PastBaselines['reportsOn'] = (id, { token }) =>
    (deaths.get(id) ?? []).filter((death) => death.token === token).map(reportOf);
  const of: PastBaselines['of'] = (id, { namespace }) => ({
    ownHold: holdBaselines.of(id),
    gaveUp: gaveUp.get(id) ?? null,
    refusals: refusals.of(id),
    policy: namespaces.policyOf(namespace),
    ...(deaths.has(id) && { reportsOn: (hold) => reportsOn(id, hold) }),
  });
  const suspects = held.filter(({ row, longest: { grantedAt, renewals } }) => {
    const isLong = row.readAt - grantedAt > holdLimitMs(of(row.id, row.key));
    return isLong && renewals > 0 && row.waiters === 0;
  });
  for (const { row, longest } of suspects.slice(0, LOOKED_INTO_MAX)) {
    const last = await lastTimeout(database, recordId(row.key), longest.grantedAt, row.readAt);
    if (last) gaveUp.set(row.id, last);
    if (slice.isOver) await slice.pause();
  }
  return { hasDeaths: deaths.size > 0, of, reportsOn };
}

/** The record of a death lacks the kind of its witness; `host` is assumed. */
function reportOf({ at, since, witness, evidence }: ProvenDeath): WitnessReport {
  return { kind: 'host', witness, state: 'dead', firstAt: at, at, since, evidence };
}

import type { IncidentHold } from '../../contract/console/past/incident';
import { type IncidentReading, isIncident } from '../../core/incidents/incident';
import type { Hold, LockRecord } from '../../core/lock/lock-record';
import { totalBlockingMs } from '../../core/status/blocking-time';
import { TIERS } from '../../core/status/lock-status';
import type { LockTable } from '../lock-list/table/lock-table';
import { holdInTheWay, type ProjectionRow } from '../projection/projection-row';

const ACT_NOW = TIERS.indexOf('actNow');

/** What incidents are found from. */
export type IncidentTable = Pick<LockTable, 'refresh' | 'slice' | 'columns'> &
  Pick<LockTable, 'at' | 'byId' | 'facts' | 'reads'>;

/** One lock in which something is wrong. */
export interface FoundIncident {
  row: ProjectionRow;
  reading: IncidentReading;
}

/**
 * Finds the locks in which something is wrong now, in slices. Checks only locks in trouble.
 *
 * @param isOfInterest whether a lock is included, by the id of its row
 * @param now the clock of this process
 * @param nowOf the clock of a backend or shard by its store id; null while it does not respond
 */
export async function findIncidents(
  table: IncidentTable,
  isOfInterest: (id: string) => boolean,
  now: () => number,
  nowOf: (backend: string) => number | null,
): Promise<FoundIncident[]> {
  await table.refresh();
  const found: FoundIncident[] = [];
  const { columns } = table;
  await table.slice().forEach([...columns.troubled], (slot) => {
    if (!columns.troubled.has(slot)) return;
    const isActNow = columns.tiers[slot] === ACT_NOW && columns.groups[slot] !== 0;
    const callers = columns.blockedCallers[slot] as number;
    const sinceSum = columns.blockedSince[slot] as number;
    const blockingMs = totalBlockingMs({ callers, sinceSum }, now() - columns.blockedOrigin);
    if (!isIncident({ isActNow, blockingMs })) return;
    const row = table.at(slot);
    if (!row || !isOfInterest(row.id)) return;
    const at = nowOf(row.backend);
    const reading = at !== null && readingOf(table, slot, row, at);
    if (reading) found.push({ row, reading: { ...reading, isActNow, blockingMs } });
  });
  return found;
}

/** The reading of a lock in which nothing is wrong any more, or that is gone. */
export function quietReading(row: ProjectionRow | null, at: number): IncidentReading {
  return {
    at,
    status: 'free',
    isActNow: false,
    since: null,
    waiters: row?.waiters ?? 0,
    blockingMs: 0,
    actors: row ? actorsOf(row.record) : [],
    ...(row ? endsOf(row.record) : { held: [], ended: null }),
    stuck: null,
    hold: null,
  };
}

function readingOf(
  table: IncidentTable,
  slot: number,
  row: ProjectionRow,
  at: number,
): Omit<IncidentReading, 'isActNow' | 'blockingMs'> | null {
  const { status } = table.columns.statusOf(slot);
  if (status === 'unknown' || !table.reads.isSettled(row, at)) return null;
  const why = table.facts.reasonOf(slot);
  const { stuck, orphaned } = why;
  const expiredAt = row.hold?.expiresAt ?? row.record.ended?.at ?? at;
  return {
    at,
    status,
    since: stuck?.since ?? (status === 'expired' ? expiredAt : null),
    waiters: row.waiters,
    actors: actorsOf(row.record),
    ...endsOf(row.record),
    stuck,
    hold: holdOf(row, holdInTheWay(row, status, why)),
    ...(orphaned && { orphaned }),
  };
}

/** The hold that is in the way, or else the last that ended. */
function holdOf({ record: { ended } }: ProjectionRow, hold: Hold | null): IncidentHold | null {
  const last = hold ?? ended;
  if (!last) return null;
  const { service, owner, token, grantedAt } = last;
  const { host, pid } = hold?.meta ?? {};
  return {
    service,
    owner,
    token,
    grantedAt,
    ...(host === undefined ? {} : { host }),
    ...(pid === undefined ? {} : { pid }),
  };
}

/** The tokens of a lock's holds, and the last hold that ended. */
const endsOf = ({ holds, ended }: LockRecord) => ({
  held: holds.map(({ token }) => token),
  ended: ended ?? null,
});

function actorsOf({ holds, frozen, ended }: LockRecord): string[] {
  const remarks = holds.flatMap(({ askedToRelease, renewalsStopped }) => [
    askedToRelease?.by,
    renewalsStopped?.by,
  ]);
  return [...remarks, frozen?.by, ended?.by].filter((by) => by !== undefined);
}

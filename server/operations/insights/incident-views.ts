import type {
  IncidentDetail,
  IncidentPage,
  IncidentRow,
  RelatedIncident,
} from '../../contract/console/past/incident';
import type { IncidentsInput } from '../../contract/console/past/past-inputs';
import { LockyardError } from '../../contract/errors';
import { withHoldEnd, withWorstBlocking } from '../../core/incidents/incident';
import { type IncidentParties, relationOf } from '../../core/incidents/related-incidents';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/**
 * How much is shown before an incident began and after it ended, as a share of its length; nothing
 * after the present instant.
 */
const MARGIN_SHARE = 0.25;
const MARGIN_MIN_MS = 10_000;

/** Incidents, the latest first. Recorded by the process that runs maintenance, up to 1 s late. */
export async function listIncidents(
  ctx: OperationContext,
  { before, since, until, limit }: IncidentsInput,
): Promise<IncidentPage> {
  await requireRole(ctx, 'viewer');
  const { incidents, clock } = ctx.runtime;
  const span = { ...(since && { since }), ...(until !== undefined && { until }) };
  const filter = { limit: limit + 1, ...(before && { before }), ...span };
  return askDatabase(async () => {
    const found = await incidents.list(filter);
    const rows = found.slice(0, limit);
    const older = found.length > limit ? (rows.at(-1)?.id ?? null) : null;
    return { rows, older, open: await incidents.countOpen(), asOf: clock.now() };
  });
}

/**
 * An incident with the timeline of its lock around it.
 *
 * @throws LockyardError `NOT_FOUND` for an unknown id, also if the incident is older than 30
 *   days
 */
export async function getIncident(
  ctx: OperationContext,
  { id }: { id: number },
): Promise<IncidentDetail> {
  await requireRole(ctx, 'viewer');
  const { incidents, past, projection, clock } = ctx.runtime;
  return askDatabase(async () => {
    const incident = await incidents.get(id);
    if (!incident) throw new LockyardError('NOT_FOUND', `There is no incident ${id}.`);
    const { beganAt, endedAt, readAt } = incident;
    const end = endedAt ?? readAt;
    const marginMs = Math.max(MARGIN_MIN_MS, (end - beganAt) * MARGIN_SHARE);
    const asOf = clock.now();
    const to = endedAt === null ? end : Math.max(end, Math.min(end + marginMs, asOf));
    const now = projection.record(incident.backend, incident);
    const { events, moreEvents, ...timeline } = await past.story(
      incident,
      beganAt - marginMs,
      to,
      now,
    );
    const { from } = timeline;
    const refused = await past.refused(incident.backend, incident, from, to);
    const related = await relatedIncidents(ctx, incident, timeline.waits);
    const deaths = incident.facts.deaths ?? [];
    const facts = withHoldEnd(incident.facts, timeline.holds);
    const whole = { ...timeline, refused, deaths, asOf };
    const shown = withWorstBlocking({ ...incident, facts }, timeline.waits);
    return { incident: shown, timeline: whole, events, moreEvents, related, asOf };
  });
}

/** How many simultaneous incidents are examined, and for how many of them waiters are read. */
const OTHERS_MAX = 60;
const READ_MAX = 6;
const RELATED_MAX = 10;

/** Incidents of other locks at the same time that are related to this one: see `relationOf`. */
async function relatedIncidents(
  { runtime: { incidents, past, projection } }: OperationContext,
  incident: IncidentRow,
  waiters: IncidentParties['waiters'],
): Promise<RelatedIncident[]> {
  const { id, beganAt, endedAt, readAt, facts } = incident;
  const until = endedAt ?? readAt;
  const found = await incidents.list({ since: beganAt, until, limit: OTHERS_MAX });
  const mine = { hold: facts.hold, heldUntil: heldUntil(incident), waiters };
  const related: RelatedIncident[] = [];
  let read = 0;
  for (const other of found) {
    if (other.id === id || related.length >= RELATED_MAX) continue;
    const theirs = { hold: other.facts.hold, heldUntil: heldUntil(other), waiters: [] };
    let relation = relationOf(mine, theirs);
    if (relation !== 'effect' && other.waitersMax > 0 && facts.hold && read < READ_MAX) {
      read += 1;
      const now = projection.record(other.backend, other);
      const { waits } = await past.timeline(other, beganAt, until, now);
      relation = relationOf(mine, { ...theirs, waiters: waits });
    }
    if (relation) related.push({ relation, incident: other });
  }
  return related;
}

/**
 * Until when the lock was held: a hold that expired ended when the incident began; any other lasted
 * until the incident was clear.
 */
const heldUntil = ({ status, beganAt, clearedAt, readAt }: IncidentRow): number =>
  status === 'expired' ? beganAt : (clearedAt ?? readAt);

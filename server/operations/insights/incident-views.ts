import type { IncidentDetail, IncidentPage } from '../../contract/console/past/incident';
import type { IncidentsInput } from '../../contract/console/past/past-inputs';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** How much is shown before an incident began and after it ended, as a share of its length. */
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
 * @throws LockyardError `NOT_FOUND` for an unknown id, also where the incident is older than 30 days
 */
export async function getIncident(
  ctx: OperationContext,
  { id }: { id: number },
): Promise<IncidentDetail> {
  await requireRole(ctx, 'viewer');
  const { incidents, past, clock } = ctx.runtime;
  return askDatabase(async () => {
    const incident = await incidents.get(id);
    if (!incident) throw new LockyardError('NOT_FOUND', `There is no incident ${id}.`);
    const { beganAt, endedAt, readAt } = incident;
    const end = endedAt ?? readAt;
    const marginMs = Math.max(MARGIN_MIN_MS, (end - beganAt) * MARGIN_SHARE);
    const to = endedAt === null ? end : end + marginMs;
    const asOf = clock.now();
    const { events, ...timeline } = await past.story(incident, beganAt - marginMs, to);
    const { from } = timeline;
    const refused = await past.refused(incident.backend, incident, from, to);
    return { incident, timeline: { ...timeline, refused, asOf }, events, asOf };
  });
}

'use client';

import type { EventRow } from '@/server/contract/console/lock-row';
import type { IncidentDetail } from '@/server/contract/console/past/incident';
import { shortToken } from '../format/numbers';
import { Icon, type IconName } from '../icons/icon';
import { eventDetail, eventLook } from '../locks/lock/event-labels';
import { Instant } from '../ui/instant';
import { ExactName } from '../ui/visible-text';
import { unlistedText } from './incident-labels';

/** What happened around an incident, oldest first, with its beginning and its end. */
export function IncidentEvents({ detail }: { detail: IncidentDetail }) {
  const { events, incident, asOf } = detail;
  const { beganAt, endedAt, backend } = incident;
  const list = (some: EventRow[]) =>
    some.map((event) => <Event key={event.id} event={event} now={asOf} clock={backend} />);
  const since = events.filter(({ at }) => at >= beganAt);
  const unlisted = unlistedText(detail);
  const isCutBefore = endedAt !== null && (events.at(-1)?.at ?? 0) <= endedAt;
  const note = unlisted && <li className="panel-row text-12 text-t2">{unlisted}</li>;
  return (
    <ol>
      {list(events.filter(({ at }) => at < beganAt))}
      <Bound icon="alert-circle" label="Incident began" at={beganAt} now={asOf} clock={backend} />
      {list(since.filter(({ at }) => endedAt === null || at <= endedAt))}
      {isCutBefore && note}
      {endedAt !== null && (
        <>
          <Bound
            icon="check-circle"
            label="Incident ended"
            at={endedAt}
            now={asOf}
            clock={backend}
          />
          {list(since.filter(({ at }) => at > endedAt))}
        </>
      )}
      {!isCutBefore && note}
    </ol>
  );
}

interface Clocked {
  /** The server's clock. */
  now: number;
  /** The backend whose clock the instants are of. */
  clock: string;
}

function Event({ event, now, clock }: Clocked & { event: EventRow }) {
  const { label, icon, ink } = eventLook(event.kind);
  const words = eventDetail(event);
  return (
    <li className="panel-row event-row">
      <span className="text-12 text-t3">
        <Instant at={event.at} now={now} clock={clock} />
      </span>
      <span className={`flex items-center gap-2 ${ink}`}>
        <Icon name={icon} size={14} />
        {label}
      </span>
      <span className="event-words">
        {event.owner !== '' && (
          <ExactName
            name={event.owner}
            className="shrink-0 text-12 text-t2 min-[560px]:max-w-[60%]"
          />
        )}
        {words && <span className="min-w-0 py-1 text-t2 [overflow-wrap:anywhere]">{words}</span>}
      </span>
      <span className="text-right font-mono text-12 text-t3 max-sm:hidden">
        {event.token !== null && (
          <span title={`Token ${event.token}`}>{shortToken(event.token)}</span>
        )}
      </span>
    </li>
  );
}

/** When the incident began or ended. */
function Bound({
  icon,
  label,
  at,
  now,
  clock,
}: Clocked & { icon: IconName; label: string; at: number }) {
  return (
    <li className="panel-row event-row bg-s2 font-[550]">
      <span className="text-12">
        <Instant at={at} now={now} clock={clock} />
      </span>
      <span className="flex items-center gap-2 whitespace-nowrap">
        <Icon name={icon} size={14} />
        {label}
      </span>
    </li>
  );
}

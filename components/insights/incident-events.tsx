'use client';

import type { IncidentDetail } from '@/server/contract/console/past/incident';
import { shortToken } from '../format/numbers';
import { Icon } from '../icons/icon';
import { eventDetail, eventLook } from '../locks/lock/event-labels';
import { Instant } from '../ui/instant';
import { ExactName } from '../ui/visible-text';

/** What happened around an incident, oldest first. */
export function IncidentEvents({ detail: { events, incident, asOf } }: { detail: IncidentDetail }) {
  if (events.length === 0) return <p className="px-3.5 py-3 text-t2">No events in this span.</p>;
  return (
    <ol>
      {events.map((event) => {
        const { label, icon, ink } = eventLook(event.kind);
        const words = eventDetail(event);
        return (
          <li key={event.id} className="panel-row event-row">
            <span className="text-12 text-t3">
              <Instant at={event.at} now={asOf} clock={incident.backend} />
            </span>
            <span className={`flex items-center gap-2 ${ink}`}>
              <Icon name={icon} size={14} />
              {label}
            </span>
            <span className="event-words">
              {event.owner !== '' && <ExactName name={event.owner} className="text-12 text-t2" />}
              {words && (
                <span className="truncate text-t2" title={words}>
                  {words}
                </span>
              )}
            </span>
            <span className="text-right font-mono text-12 text-t3 max-sm:hidden">
              {event.token !== null && (
                <span title={`Token ${event.token}`}>{shortToken(event.token)}</span>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

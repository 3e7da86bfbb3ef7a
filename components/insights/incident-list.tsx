'use client';

import Link from 'next/link';
import type { IncidentRow } from '@/server/contract/console/past/incident';
import { Instant } from '../ui/instant';
import { StatusBadge } from '../ui/status-badge';
import { ExactName } from '../ui/visible-text';
import { incidentFigures, incidentSentence } from './incident-labels';

/** Incidents as cards, the latest first. */
export function IncidentList({
  incidents,
  now,
  chosen = null,
}: {
  incidents: readonly IncidentRow[];
  /** The server's clock. */
  now: number;
  /** The id of the one whose page this is. */
  chosen?: number | null;
}) {
  return (
    <ol>
      {incidents.map((incident) => (
        <li
          key={incident.id}
          className="list-item incident-item"
          data-chosen={incident.id === chosen}
        >
          <div className="flex items-center gap-2">
            <StatusBadge status={incident.status} />
            <span className="ml-auto whitespace-nowrap text-12 text-t2">
              <Instant at={incident.beganAt} now={now} clock={incident.backend} /> –{' '}
              {incident.endedAt === null ? (
                <b className="font-[600] text-t1">open</b>
              ) : (
                <Instant at={incident.endedAt} now={now} clock={incident.backend} />
              )}
            </span>
          </div>
          <Link
            href={`/insights/${incident.id}`}
            prefetch={false}
            className="item-link incident-link"
            aria-current={incident.id === chosen ? 'page' : undefined}
          >
            <ExactName name={incident.name} />
          </Link>
          <p className="text-12 text-t2">{incidentSentence(incident)}</p>
          <p className="text-12 text-t3">
            {incident.namespace}, {incidentFigures(incident)}
          </p>
        </li>
      ))}
    </ol>
  );
}

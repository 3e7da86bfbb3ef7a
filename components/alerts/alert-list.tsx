'use client';

import Link from 'next/link';
import type { AlertRow, SilenceRow } from '@/server/contract/console/alerts/alert-row';
import { Silences } from '@/server/core/alerts/silences';
import { pastDuration } from '@/server/core/format/durations';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { keepUnits } from '../format/numbers';
import { Icon } from '../icons/icon';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { ExactName } from '../ui/visible-text';
import { kindLabel } from './alert-labels';

/** Alerts, one below the other. */
export function AlertList({
  alerts,
  silences,
  now,
  onSilence,
}: {
  alerts: readonly AlertRow[];
  silences: readonly SilenceRow[];
  /** The server's clock. */
  now: number;
  /** Null for a role that may not silence alerts. */
  onSilence: ((alert: AlertRow) => void) | null;
}) {
  const prepared = new Silences(silences);
  return (
    <ul>
      {alerts.map((alert) => (
        <li key={alert.id} className="list-item">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Icon
              name={goesOn(alert) ? 'alert-octagon' : 'check-circle'}
              size={15}
              className={goesOn(alert) ? 'text-dangertext' : 'text-acc'}
            />
            <span className="font-[600]">{kindLabel(alert.kind)}</span>
            {alert.isClear && (
              <span className="rounded-4 bg-accbg px-1.5 text-12 text-acc">clear now</span>
            )}
            {prepared.match(alert, now) && (
              <span className="rounded-4 bg-s3 px-1.5 text-12 text-t2">silenced</span>
            )}
            <span className="ml-auto whitespace-nowrap text-12 text-t2">
              <Instant at={alert.firedAt} now={now} />
              {alert.resolvedAt !== null &&
                `, for ${pastDuration(alert.resolvedAt - alert.firedAt)}`}
            </span>
          </div>
          <div className="flex min-w-0 items-center gap-2">
            <Subject alert={alert} />
            {onSilence && (
              <span className="ml-auto py-0.5">
                <Button size="small" onClick={() => onSilence(alert)}>
                  Silence…<span className="sr-only"> {alert.name ?? alert.backend}</span>
                </Button>
              </span>
            )}
          </div>
          <p className="text-12 text-t2">
            <span className="text-t3">When it fired: </span>
            <bdi>{keepUnits(alert.sentence)}</bdi>
          </p>
          <p className="text-12 text-t3">
            {alert.namespace} · {alert.backend}
          </p>
        </li>
      ))}
    </ul>
  );
}

const goesOn = ({ resolvedAt, isClear }: AlertRow) => resolvedAt === null && !isClear;

function Subject({ alert: { kind, backend, namespace, name } }: { alert: AlertRow }) {
  if (name === null) {
    return (
      <Link
        href={`/backends#backend-${encodeURIComponent(backend)}`}
        prefetch={false}
        className="item-link alert-link"
      >
        <ExactName name={backend} />
      </Link>
    );
  }
  const path = kind === 'counterNear' ? counterPath(namespace, name) : lockPath(namespace, name);
  return (
    <Link href={path} prefetch={false} className="item-link alert-link">
      <ExactName name={name} />
    </Link>
  );
}

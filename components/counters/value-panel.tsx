'use client';

import type { CounterRow } from '@/server/contract/console/counter-row';
import { wholeSeconds } from '@/server/core/format/durations';
import { capital, exactCount } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { useAtBackend, useStoreObstacle, useStoreRefusal } from '../live/reading';
import { useSession } from '../live/session';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import type { Adjusted } from './adjust-dialog';
import { boundLabel, boundsPosition, headroomLabel } from './counter-labels';
import { LastChange } from './counter-table';

const ACTS = [
  { act: 'adjust', label: 'Adjust…' },
  { act: 'set', label: 'Set value…' },
  { act: 'bounds', label: 'Edit limits…' },
] as const;

/** Of the element that says why no change is possible. */
export const REFUSED_ID = 'counter-refused';

/** The counter's value between its bounds, and the operator's actions. */
export function ValuePanel({
  row,
  change,
  onAct,
}: {
  row: CounterRow;
  /** The last change made on this page, for a while; null: none. */
  change: Adjusted | null;
  onAct: (act: 'adjust' | 'set' | 'bounds') => void;
}) {
  const { may } = useSession();
  const now = useAtBackend(row, (at) => wholeSeconds(at));
  const refusal = useStoreRefusal(row);
  const obstacle = useStoreObstacle(row);
  const { state, share } = boundsPosition(row);
  const isTight = state !== 'within' && state !== 'unknown';
  return (
    <section aria-label="Current value" className="card standing">
      <div className="min-w-0 p-4">
        <p role="status" className={`text-12 ${change ? 'text-acc' : 'text-t2'}`}>
          {change ? `Changed ${exactCount(change.was)} → ${exactCount(change.value)}` : 'Value'}
        </p>
        <p className="standing-value">
          {row.value === null ? (
            <span className="text-unknown">unknown</span>
          ) : (
            exactCount(row.value)
          )}
        </p>
        {!row.isKnown && (
          <p className="flex items-center gap-1.5 text-unknown">
            <Icon name="question" size={15} />
            {row.value === null
              ? 'Record unreadable'
              : `Last known value; ${obstacle ?? 'backend not responding'}`}
          </p>
        )}
        {row.isKnown && obstacle && (
          <p id={REFUSED_ID} className="flex items-center gap-1.5 text-dangertext">
            <Icon name="alert-octagon" size={15} />
            {capital(obstacle)}: no change is possible
          </p>
        )}
        {refusal && <p className="text-t2">{refusal}</p>}
      </div>
      <div className="min-w-0 p-4">
        <div className="flex justify-between gap-4 text-12 text-t2">
          <span>floor {boundLabel(row.floor)}</span>
          <span>ceiling {boundLabel(row.ceiling)}</span>
        </div>
        {share !== null && (
          <span aria-hidden="true" className="room-bar room-wide" data-tight={isTight}>
            <span style={{ inlineSize: `${share * 100}%` }} />
          </span>
        )}
        <p className={isTight ? 'font-[550] text-contended' : 'text-t2'}>{headroomLabel(row)}</p>
        <p className="pt-2 text-t2">
          Last change: <LastChange row={row} />
        </p>
        {row.createdAt > 0 && (
          <p className="text-12 text-t3">
            Created <Instant at={row.createdAt} now={now} clock={row.backend} />
          </p>
        )}
      </div>
      {may('operator') && row.isKnown && (
        <div className="flex flex-wrap items-start gap-2 p-4">
          {ACTS.map(({ act, label }) => (
            <Button
              key={act}
              disabled={refusal !== null}
              aria-describedby={refusal === null ? undefined : REFUSED_ID}
              onClick={() => onAct(act)}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
    </section>
  );
}

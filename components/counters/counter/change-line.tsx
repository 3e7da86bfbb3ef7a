'use client';

import type { CounterMoveRow } from '@/server/contract/console/counter-row';
import { exactCount } from '../../format/counts';
import { visibleText } from '../../format/visible-name';
import { Icon } from '../../icons/icon';
import type { IconName } from '../../icons/icon-shapes';
import { useAtBackend } from '../../live/reading';
import { ExactName } from '../../ui/exact-name';
import { Instant } from '../../ui/instant';
import { VisibleText } from '../../ui/visible-text';
import { boundLabel, deltaLabel } from '../counter-labels';

const KINDS: Record<CounterMoveRow['kind'], { word: string; icon: IconName; ink: string }> = {
  created: { word: 'Created', icon: 'plus', ink: 'text-acc' },
  added: { word: '', icon: 'counter', ink: 'text-t2' },
  adjusted: { word: 'Set manually', icon: 'settings', ink: 'text-contended' },
  rebound: { word: 'Limits changed', icon: 'layers', ink: 'text-contended' },
};

/** One line of a counter's history: when, what, who and why, and the value that it left. */
export function ChangeLine({ move, backend }: { move: CounterMoveRow; backend: string }) {
  const now = useAtBackend(backend, (time) => Math.floor(time / 60_000) * 60_000);
  const { kind, at, delta, bounds, service, by, reason, value } = move;
  const { word, icon, ink } = KINDS[kind];
  return (
    <li className="move-row">
      <span className="text-12 text-t3">
        <Instant at={at} now={now} clock={backend} />
      </span>
      <span className={`flex items-center gap-2 ${ink}`}>
        <Icon name={icon} size={14} />
        {word}
        {delta !== null && <b className="font-[550] text-t1">{deltaLabel(delta)}</b>}
      </span>
      <span className="event-words">
        <ExactName name={by ?? service} className="text-12 text-t2" />
        {bounds && (
          <span className="text-t2">
            floor {boundLabel(bounds.floor)}, ceiling {boundLabel(bounds.ceiling)}
          </span>
        )}
        {reason && (
          <span className="truncate text-t2" title={visibleText(reason)}>
            “<VisibleText text={reason} />”
          </span>
        )}
      </span>
      <span className="text-right" title={`Rev ${move.rev}`}>
        {exactCount(value)}
      </span>
    </li>
  );
}

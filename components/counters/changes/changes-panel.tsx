'use client';

import type { CounterMoveRow, CounterRow } from '@/server/contract/console/counter-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { minuteOf } from '@/server/core/statistics/minute-rollup';
import { Icon, type IconName } from '../../icons/icon';
import { type HistoryPage, HistoryPanel, useHistoryPages } from '../../live/history-panel';
import { useAtBackend } from '../../live/reading';
import { useTRPCClient } from '../../live/trpc';
import { usePastAt } from '../../past/past-at';
import { Instant } from '../../ui/instant';
import { ExactName, VisibleText } from '../../ui/visible-text';
import { boundsLabel, CHANGES_SHOWN, deltaLabel } from '../counter-labels';
import { type ChangeFold, foldChanges } from './fold-changes';

/** What happened to the counter, newest first. */
export function ChangesPanel({
  row,
  initial,
}: {
  row: CounterRow;
  /** Null where they could not be read for the first paint. */
  initial: HistoryPage<CounterMoveRow> | null;
}) {
  const { namespace, name, rev, backend, readAt } = row;
  const client = useTRPCClient();
  const past = usePastAt() === null ? {} : { until: readAt };
  const history = useHistoryPages({
    queryKey: ['counters.moves', namespace, name, past],
    read: (from) =>
      client.counters.moves.query({ namespace, name, limit: CHANGES_SHOWN, ...past, ...from }),
    initial,
    rev,
  });
  return (
    <HistoryPanel title="History" history={history}>
      <li aria-hidden="true" className="panel-row move-row text-12 text-t3 max-sm:hidden">
        <span>Time</span>
        <span>Change</span>
        <span>By</span>
        <span className="text-right">Value</span>
      </li>
      {foldChanges(history.rows).map((fold) => (
        <ChangeLine key={fold.id} fold={fold} backend={backend} />
      ))}
    </HistoryPanel>
  );
}

const KINDS: Record<CounterMoveRow['kind'], { word: string; icon: IconName; ink: string }> = {
  created: { word: 'Created', icon: 'plus', ink: 'text-acc' },
  added: { word: '', icon: 'counter', ink: 'text-t2' },
  adjusted: { word: 'Adjusted', icon: 'settings', ink: 'text-contended' },
  rebound: { word: 'Limits changed', icon: 'layers', ink: 'text-contended' },
};

/** One line of a counter's history: when, what, who and why, and the value afterwards. */
function ChangeLine({ fold, backend }: { fold: ChangeFold; backend: string }) {
  const now = useAtBackend({ backend }, (at) => minuteOf({ at }));
  const { move, count, delta } = fold;
  const { kind, at, bounds, service, by, reason, value } = move;
  const { word, icon, ink } = KINDS[kind];
  return (
    <li className="panel-row move-row">
      <span className="text-12 text-t3">
        <Instant at={at} now={now} clock={backend} />
      </span>
      <span className={`flex items-center gap-2 ${ink}`}>
        <Icon name={icon} size={14} />
        {word}
        {delta !== null && <b className="font-[550] text-t1">{deltaLabel(delta)}</b>}
        {count > 1 && <span className="text-12 text-t3">in {plural(count, 'change')}</span>}
      </span>
      <span className="event-words">
        <ExactName name={by ?? service} className="text-12 text-t2" />
        {bounds && <span className="text-t2">{boundsLabel(bounds)}</span>}
        {reason && (
          <span className="event-detail text-t2" title={visibleText(reason)}>
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

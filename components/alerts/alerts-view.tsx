'use client';

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type {
  AlertPage,
  AlertRow,
  AlertRulesRow,
  AlertSummary,
} from '@/server/contract/console/alerts/alert-row';
import { ALERT_QUIET_MS } from '@/server/core/alerts/alert';
import { alertSummary } from '@/server/core/alerts/alert-summary';
import { spokenDuration } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { lazyDialog } from '../navigation/lazy-dialog';
import { Button } from '../ui/controls/button';
import { PageHead } from '../ui/page-head';
import { Panel } from '../ui/panel';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { AlertList } from './alert-list';
import { ReceiverList } from './receiver-list';
import { RuleList } from './rule-list';
import { SilenceList } from './silence-list';

const POLL_MS = 5_000;

const SilenceDialog = lazyDialog(() => import('./silence-dialog').then((all) => all.SilenceDialog));

/** Alerts are stored before they are sent, so without the control database none is sent. */
const unsentNote = (error: unknown): string =>
  problemOf(error).reason === 'BACKEND_DOWN'
    ? '. No alert is sent until the control database responds'
    : '';

function firingLabel({ firing, clear }: AlertSummary): string {
  if (clear === 0) return firing === 0 ? 'none' : exactCount(firing);
  const isClear = `${exactCount(clear)} clear now`;
  return firing === 0 ? isClear : `${exactCount(firing)}, ${isClear}`;
}

/** Firing and resolved alerts, silences, rules and receivers. */
export function AlertsView({
  initial,
  initialRules,
}: {
  /** Null where they could not be read for the first paint. */
  initial: AlertPage | null;
  initialRules: AlertRulesRow[] | null;
}) {
  const trpc = useTRPC();
  const { account, retentionDays } = useSession();
  const [silencing, setSilencing] = useState<{ of: AlertRow | null } | null>(null);
  const { data, error } = useQuery(
    trpc.alerts.list.queryOptions(undefined, {
      refetchInterval: POLL_MS,
      placeholderData: keepPreviousData,
      ...(initial && { initialData: initial }),
    }),
  );
  const queries = useQueryClient();
  const summary = useMemo(() => data && alertSummary(data), [data]);
  // The bell reads less often, and would differ from this page.
  useEffect(() => {
    if (summary) queries.setQueryData(trpc.alerts.summary.queryKey(), summary);
  }, [summary, queries, trpc]);
  const mayAct = account.role !== 'viewer';
  const now = data?.asOf ?? 0;
  return (
    <div className="page">
      <PageHead
        title="Alerts"
        end={mayAct && <Button onClick={() => setSilencing({ of: null })}>Silence…</Button>}
      >
        What needs attention now, and who is notified.
      </PageHead>
      <ReadNote read={{ data, error }} what="alerts" more={unsentNote(error)} />
      {!data && !error && <RowsSkeleton />}
      {data && summary && (
        <div className="alerts-columns">
          <div className="grid min-w-0 content-start gap-3.5">
            <Panel title="Firing" aside={firingLabel(summary)}>
              {data.firing.length > 0 && (
                <>
                  <AlertList
                    alerts={data.firing}
                    silences={data.silences}
                    now={now}
                    onSilence={mayAct ? (of) => setSilencing({ of }) : null}
                  />
                  <p className="border-line border-t px-3.5 py-2.5 text-12 text-t3">
                    Each is listed until it has been clear for {spokenDuration(ALERT_QUIET_MS)}.
                  </p>
                </>
              )}
              {data.firingTotal > data.firing.length && (
                <p className="border-line border-t px-3.5 py-2.5 text-12 text-t2">
                  The newest {exactCount(data.firing.length)} of {exactCount(data.firingTotal)}.
                </p>
              )}
            </Panel>
            <Panel title="Resolved" aside="the latest">
              <AlertList alerts={data.resolved} silences={[]} now={now} onSilence={null} />
              {data.resolved.length === 0 && (
                <p className="px-3.5 py-3 text-t2">
                  None in the last {plural(retentionDays.history, 'day')}.
                </p>
              )}
            </Panel>
          </div>
          <div className="grid min-w-0 content-start gap-3.5">
            <SilenceList silences={data.silences} now={now} mayAct={mayAct} />
            <ReceiverList receivers={data.receivers} now={now} />
            <RuleList initial={initialRules} mayAct={account.role === 'admin'} />
          </div>
        </div>
      )}
      {silencing && <SilenceDialog of={silencing.of} onClose={() => setSilencing(null)} />}
      <ReadsLostNote reads={[{ data, error }]} />
    </div>
  );
}

'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AlertRulesRow } from '@/server/contract/console/alerts/alert-row';
import { useTRPC } from '../live/trpc';
import { lazyDialog } from '../navigation/lazy-dialog';
import { Button } from '../ui/controls/button';
import { Panel } from '../ui/panel';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { ReadNote } from '../ui/unanswered/reads-note';
import { rulesText } from './alert-labels';

const POLL_MS = 5_000;

const RulesDialog = lazyDialog(() => import('./rules-dialog').then((all) => all.RulesDialog));

/** When alerts fire, by namespace. */
export function RuleList({
  initial,
  mayAct,
}: {
  /** Null where they could not be read for the first paint. */
  initial: AlertRulesRow[] | null;
  mayAct: boolean;
}) {
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.alerts.rules.queryOptions(undefined, {
      refetchInterval: POLL_MS,
      ...(initial && { initialData: initial }),
    }),
  );
  const [changed, setChanged] = useState<AlertRulesRow | null>(null);
  const changedNow = data?.find(({ namespace }) => namespace === changed?.namespace);
  const standard = data?.find(({ isOwn }) => !isOwn);
  return (
    <Panel title="Rules" aside="by namespace">
      <ReadNote read={{ data, error }} what="rules" className="p-3.5" />
      {!data && !error && <RowsSkeleton />}
      <ul>
        {data?.map((row) => (
          <li key={row.namespace} className="list-item">
            <div className="flex items-center gap-2">
              <span className="min-w-0">
                <span className="mr-1 font-[550]">{row.namespace}</span>{' '}
                {!row.isOwn && (
                  <span className="text-12 whitespace-nowrap text-t3">default rules</span>
                )}
              </span>
              {mayAct && (
                <span className="ml-auto">
                  <Button size="small" onClick={() => setChanged(row)}>
                    Change…<span className="sr-only"> the rules of {row.namespace}</span>
                  </Button>
                </span>
              )}
            </div>
            {row.isOwn && <p className="text-12 text-t2">{rulesText(row.rules)}</p>}
          </li>
        ))}
      </ul>
      {standard && (
        <p className="list-item text-12 text-t2">Default rules: {rulesText(standard.rules)}.</p>
      )}
      {changed && <RulesDialog of={changedNow ?? changed} onClose={() => setChanged(null)} />}
    </Panel>
  );
}

'use client';

import { useQuery } from '@tanstack/react-query';
import type { DeadlockEnding, DeadlockRow } from '@/server/contract/console/waits/wait-graph';
import { wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { useAtBackend } from '../live/reading';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { LockLink } from '../locks/lock-link';
import { BackendGlyph } from '../ui/backend-glyph';
import { Duration } from '../ui/duration';
import { Instant } from '../ui/instant';
import { type Column, TableHead } from '../ui/table-head';
import { ReadFailureNote } from '../ui/unanswered/read-failure-note';
import { ExactName, VisibleText } from '../ui/visible-text';
import { matchingDeadlocks, type WaitFilter } from './wait-filter';

const COLUMNS: Column[] = [
  { label: 'Found', className: 'deadlock-found' },
  'Owners and what each waited for',
  'Ended',
  { label: 'Lasted', isNumber: true, className: 'deadlock-number' },
  { label: 'Waiting', isNumber: true, className: 'deadlock-number' },
];

const POLL_MS = 3_000;

const END_LABELS: Record<DeadlockEnding, string> = {
  forced: 'force-released',
  expired: 'lease expired',
  waitEnded: 'a wait timed out or was cancelled',
  released: 'released by its holder',
  unseen: 'ended while no server was running',
};

/** The deadlocks that are kept and match the filter, newest first. */
export function PastDeadlocks({
  initial,
  filter,
}: {
  /** Null where they could not be read for the first paint. */
  initial: DeadlockRow[] | null;
  filter: WaitFilter;
}) {
  const trpc = useTRPC();
  const { data, error } = useQuery({
    ...trpc.waits.deadlocks.queryOptions(undefined, { ...(initial && { initialData: initial }) }),
    refetchInterval: POLL_MS,
  });
  const now = useAtBackend(null, (at) => wholeSeconds(at));
  const all = data ?? [];
  const rows = matchingDeadlocks(all, filter, now);
  const { retentionDays } = useSession();
  const kept = `last ${plural(retentionDays.history, 'day')}`;
  return (
    <section aria-label="Deadlocks" className="past-deadlocks">
      <h2 className="flex h-[30px] items-center gap-2 font-[620]">
        Deadlocks
        <span className="font-[450] text-12 text-t3">
          {data && keptLabel(kept, rows.length, all.length)}
        </span>
      </h2>
      <ReadFailureNote error={error} shown={data} what="past deadlocks" className="" />
      {rows.length > 0 && (
        <table className="list">
          <TableHead columns={COLUMNS} />
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td data-cell="main">
                  <Instant at={row.foundAt} now={now} />
                </td>
                <td>
                  <Steps row={row} />
                </td>
                <td className="text-t2">
                  {row.end ? END_LABELS[row.end] : <b className="text-dangertext">not yet</b>}
                  {row.by && (
                    <>
                      {' by '}
                      <VisibleText text={row.by} />
                    </>
                  )}
                </td>
                <td data-cell="act" data-number="true">
                  <Duration ms={(row.endedAt ?? now) - row.since} />
                </td>
                <td data-number="true" className="max-md:hidden!">
                  {exactCount(row.waiting)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function keptLabel(kept: string, shown: number, all: number): string {
  if (all === 0) return `none in the ${kept}`;
  if (shown === all) return `${kept}, newest first`;
  if (shown === 0) return `${kept}, none matches the filters`;
  return `${kept}, ${exactCount(shown)} of ${exactCount(all)} match the filters`;
}

function Steps({ row }: { row: DeadlockRow }) {
  return (
    <ul>
      {row.steps.map(({ service, owner, namespace, name, backend }) => (
        <li
          key={`${service} ${owner} ${namespace} ${name}`}
          className="flex min-h-6 min-w-0 flex-wrap items-baseline gap-x-2"
        >
          <ExactName name={owner} className="text-12" />
          <span className="text-12 text-t3">waited for</span>
          {new Set(row.steps.map((step) => step.backend)).size > 1 && <BackendGlyph id={backend} />}
          <LockLink namespace={namespace} name={name} className="text-12" />
          <span className="text-12 text-t3">{backend}</span>
        </li>
      ))}
    </ul>
  );
}

'use client';

import { useQuery } from '@tanstack/react-query';
import type { LabSettings } from '@/server/contract/console/lab/lab-race';
import type { LabPreflightView, LabRunSummary } from '@/server/contract/console/lab/lab-run';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { PageHead } from '../ui/page-head';
import { isOffline, ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { LabServers } from './lab-servers';
import { RaceSetup } from './race-setup';
import { RunList } from './run-list';

/** How often the list of runs is read while one runs, and while none does. */
const POLL_RUNNING_MS = 2_000;
const POLL_MS = 5_000;

/** The Lab: what a race can run on, what it should run, and the runs that are kept. */
export function LabView({
  initial,
  initialPreflight,
  from,
}: {
  /** Null where they could not be read for the first paint. */
  initial: { runs: LabRunSummary[]; asOf: number } | null;
  /** Null where the servers have not answered by then. */
  initialPreflight: LabPreflightView | null;
  /** The settings to start from, of an earlier run. */
  from: LabSettings | null;
}) {
  const trpc = useTRPC();
  const runs = useQuery(
    trpc.lab.runs.queryOptions(
      {},
      {
        ...(initial && { initialData: initial }),
        refetchInterval: ({ state }) =>
          state.data?.runs.some(({ endedAt }) => endedAt === null) ? POLL_RUNNING_MS : POLL_MS,
      },
    ),
  );
  const preflight = useQuery(
    trpc.lab.preflight.queryOptions(
      {},
      { staleTime: 30_000, ...(initialPreflight && { initialData: initialPreflight }) },
    ),
  );
  const running = runs.data?.runs.find(({ endedAt }) => endedAt === null) ?? null;
  return (
    <div className="page">
      <PageHead title="Lab">
        Locking strategies race on your own servers: which of them oversell, and how fast the others
        are.
      </PageHead>
      <div className="lab-setup">
        <RaceSetup
          entries={preflight.data?.entries ?? null}
          from={from}
          running={running}
          now={runs.data?.asOf ?? 0}
        />
        <LabServers
          preflight={preflight.data ?? null}
          problem={preflight.error && !isOffline(preflight) ? problemOf(preflight.error) : null}
          now={runs.data?.asOf ?? 0}
        />
      </div>
      <ReadNote read={runs} what="the runs" className="pb-4" />
      {runs.data && <RunList runs={runs.data.runs} now={runs.data.asOf} />}
      <ReadsLostNote reads={[runs, preflight]} />
    </div>
  );
}

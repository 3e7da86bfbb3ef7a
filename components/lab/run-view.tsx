'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { LabRun } from '@/server/contract/console/lab/lab-run';
import { Icon } from '../icons/icon';
import { failureTitleWithoutRetry } from '../live/problem';
import { useSession } from '../live/session';
import { refetchEvery, useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { useSubmit } from '../ui/controls/use-submit';
import { Instant } from '../ui/instant';
import { ProblemNote } from '../ui/problem-note';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { VisibleText } from '../ui/visible-text';
import { LivePanel } from './live/live-panel';
import { CoursePanel } from './result/course-panel';
import { ResultTable } from './result/result-table';
import { VerdictStrip } from './result/verdict-strip';
import {
  endLabel,
  exportName,
  exportRun,
  messageTitle,
  serversOf,
  settingFacts,
} from './run-labels';

const POLL_MS = 1_000;

/** A run, while it runs and afterwards. */
export function RunView({ initial }: { initial: LabRun }) {
  const trpc = useTRPC();
  const { data: run, error } = useQuery(
    trpc.lab.run.queryOptions(
      { id: initial.id },
      {
        initialData: initial,
        staleTime: 0,
        refetchInterval: (query) =>
          refetchEvery(query.state.data?.endedAt === null && POLL_MS, query),
      },
    ),
  );
  const isRunning = run.endedAt === null;
  return (
    <div className="page lab-page">
      <div>
        <RunHead run={run} />
        <ReadNote read={{ data: run, error }} what="the run" className="pb-3.5" />
        {run.message && (
          <div className="pb-3.5">
            <ProblemNote problem={{ text: run.message }} title={messageTitle(run)} />
          </div>
        )}
        <div className="card">
          {isRunning ? <LivePanel run={run} /> : <VerdictStrip run={run} />}
          {!isRunning && <CoursePanel run={run} />}
          <ResultTable run={run} />
        </div>
        <p className="flex flex-wrap gap-x-6 gap-y-1 pt-3 text-12 text-t3">
          <span>
            Each strategy starts with {run.settings.stock.toLocaleString('en-US')} in the same stock
            row. “Sold” is counted from committed order lines, not from what workers heard.
          </span>
          <span className="lg:ml-auto">
            seed {run.settings.seed}, the same think times for each
          </span>
        </p>
      </div>
      <ReadsLostNote reads={[{ data: run, error }]} />
    </div>
  );
}

function RunHead({ run }: { run: LabRun }) {
  const client = useTRPCClient();
  const { may } = useSession();
  const { isBusy, problem, submit } = useSubmit();
  const isRunning = run.endedAt === null;
  // While it runs, a server could only be named once a strategy has used it.
  const servers = isRunning ? '' : serversOf(run.rows);
  const facts = settingFacts(run.settings).filter(([name]) => name !== 'seed');
  return (
    <header className="pb-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-19 font-[640]">Strategy race</h1>
        <ul className="flex flex-wrap gap-1.5" aria-label="Settings">
          {facts.map(([name, value]) => (
            <li key={name} className="lab-fact">
              {name} <b>{value}</b>
            </li>
          ))}
        </ul>
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0">
          {isRunning && may('operator') && (
            <Button
              tone="danger-word"
              disabled={isBusy || run.stoppedBy !== null}
              onClick={() => void submit(() => client.lab.stop.mutate({ id: run.id }))}
            >
              <Icon name="stop" size={15} />
              {run.stoppedBy === null ? 'Stop' : 'Stopping…'}
            </Button>
          )}
          {!isRunning && <ExportButton run={run} />}
          <Link href={`/lab?from=${run.id}`} className="button">
            {!isRunning && may('operator') ? (
              <>
                <Icon name="play" size={15} />
                Race again
              </>
            ) : (
              'New race'
            )}
          </Link>
        </div>
      </div>
      <p className="pt-1 text-t2">
        <VisibleText text={run.startedBy} />, <Instant at={run.startedAt} now={run.asOf} />.{' '}
        {endLabel(run)}.{servers && ` Servers: ${servers}.`}{' '}
        <Link href="/lab" className="link">
          All runs
        </Link>
      </p>
      {problem && (
        <div className="pt-3">
          <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
        </div>
      )}
    </header>
  );
}

function ExportButton({ run }: { run: LabRun }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([exportRun(run)], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = exportName(run);
    link.click();
    // The browser has taken the file by then.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  return (
    <Button onClick={save}>
      <Icon name="download" size={15} />
      JSON
    </Button>
  );
}

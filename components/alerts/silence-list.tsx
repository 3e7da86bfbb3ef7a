'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SilenceRow } from '@/server/contract/console/alerts/alert-row';
import { type Problem, problemOf } from '../live/problem';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { Panel } from '../ui/panel';
import { ProblemNote } from '../ui/problem-note';
import { VisibleText } from '../ui/visible-text';
import { matcherText } from './alert-labels';

/** The active silences. */
export function SilenceList({
  silences,
  now,
  mayAct,
}: {
  silences: readonly SilenceRow[];
  now: number;
  mayAct: boolean;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [ending, setEnding] = useState<string | null>(null);
  const end = async (id: string) => {
    setProblem(null);
    setEnding(id);
    await client.alerts.endSilence
      .mutate({ id })
      .catch((error: unknown) => setProblem(problemOf(error)));
    await queries.invalidateQueries({ queryKey: trpc.alerts.list.queryKey() });
    setEnding(null);
  };
  return (
    <Panel title="Silences" aside={silences.length === 0 && 'none'}>
      {problem && (
        <div className="p-3.5">
          <ProblemNote problem={problem} title="Could not end the silence" />
        </div>
      )}
      {silences.length > 0 && (
        <ul>
          {silences.map((silence) => (
            <li key={silence.id} className="list-item">
              <div className="flex items-center gap-2">
                <span className="min-w-0 font-[550]">
                  <VisibleText text={matcherText(silence)} />
                </span>
                {mayAct && (
                  <span className="ml-auto">
                    <Button
                      size="small"
                      disabled={ending !== null}
                      onClick={() => void end(silence.id)}
                    >
                      End<span className="sr-only"> the silence of {matcherText(silence)}</span>
                    </Button>
                  </span>
                )}
              </div>
              <p className="text-12 text-t2">
                <VisibleText text={silence.reason} />
              </p>
              <p className="text-12 text-t3">
                until <Instant at={silence.endsAt} now={now} />, by{' '}
                <VisibleText text={silence.by} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

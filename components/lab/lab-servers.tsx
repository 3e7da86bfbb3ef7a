'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LabServer } from '@/server/contract/console/lab/lab-race';
import type { LabPreflightView } from '@/server/contract/console/lab/lab-run';
import { Icon, type IconName } from '../icons/icon';
import { type Problem, problemOf } from '../live/problem';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { Panel } from '../ui/panel';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';

const STATES: Record<LabServer['state'], { word: string; icon: IconName; ink: string }> = {
  ready: { word: 'Ready', icon: 'check-circle', ink: 'text-acc' },
  missing: { word: 'Not configured', icon: 'plus', ink: 'text-t3' },
  away: { word: 'Not responding', icon: 'question', ink: 'text-unknown' },
  refused: { word: 'Refused', icon: 'alert-circle', ink: 'text-dangertext' },
};

/** The servers of the Lab: which are available, what is missing and how to add it. */
export function LabServers({
  preflight,
  problem,
  now,
}: {
  /** Null until it is known. */
  preflight: LabPreflightView | null;
  problem: Problem | null;
  /** The server's clock. */
  now: number;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [isChecking, setChecking] = useState(false);
  const [failure, setFailure] = useState<Problem | null>(null);
  const check = async () => {
    setChecking(true);
    setFailure(null);
    try {
      const view = await client.lab.preflight.query({ again: true });
      queries.setQueryData(trpc.lab.preflight.queryKey({}), view);
    } catch (error) {
      setFailure(problemOf(error));
    } finally {
      setChecking(false);
    }
  };
  const shownProblem = failure ?? problem;
  return (
    <Panel
      title="Servers"
      aside={
        preflight && (
          <>
            checked <Instant at={preflight.asOf} now={Math.max(now, preflight.asOf)} />
          </>
        )
      }
      end={
        <Button size="small" disabled={isChecking || !preflight} onClick={() => void check()}>
          {isChecking ? 'Checking…' : 'Check now'}
        </Button>
      }
    >
      {shownProblem && (
        <div className="p-3.5">
          <ProblemNote problem={shownProblem} title="Could not check the servers" />
        </div>
      )}
      {!preflight && !shownProblem && <RowsSkeleton rows={9} />}
      {preflight && (
        <ul>
          {preflight.servers.map((server) => (
            <Server key={server.name} server={server} />
          ))}
          <li className="lab-server">
            <span className="font-[550]">SQLite</span>
            <State state="ready" />
            <p className="text-12 text-t3">Embedded, in a scratch file of its own.</p>
          </li>
        </ul>
      )}
      <p className="mt-auto border-line border-t px-3.5 py-3 text-12 text-t3">
        A race makes scratch tables, keys and nodes of its own and removes them afterwards. Set up:{' '}
        <code className="font-mono">docs/lab.md</code>.
      </p>
    </Panel>
  );
}

function Server({ server: { name, address, version, state, advice } }: { server: LabServer }) {
  const where = [version, address].filter((part) => part !== null).join(' at ');
  return (
    <li className="lab-server">
      <span className="font-[550]">{name}</span>
      <State state={state} />
      {where && <p className="text-12 text-t2">{where}</p>}
      {advice && <Advice text={advice} />}
    </li>
  );
}

function State({ state }: { state: LabServer['state'] }) {
  const { word, icon, ink } = STATES[state];
  return (
    <span className={`inline-flex items-center gap-1.5 text-12 font-[550] ${ink}`}>
      <Icon name={icon} size={14} />
      {word}
    </span>
  );
}

/** The variables and statements in prose, which are typed or copied. */
const TYPED = /(LOCKYARD_[A-Z_]+(?:=[^\s,]*[^\s,.])?|GRANT [^;]+;)/;

/** A setting breaks after its name first. */
const beforeValue = (setting: string) => setting.slice(0, setting.indexOf('=') + 1);

function Advice({ text }: { text: string }) {
  return (
    <p className="text-12 text-t2 [overflow-wrap:anywhere]">
      {text.split(TYPED).map((part, place) =>
        place % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
          <code key={place} className="font-mono text-t1 select-all">
            {beforeValue(part)}
            <wbr />
            {part.slice(beforeValue(part).length)}
          </code>
        ),
      )}
    </p>
  );
}

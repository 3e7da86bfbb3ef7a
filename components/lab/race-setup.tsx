'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { LabEntry, LabSettings } from '@/server/contract/console/lab/lab-race';
import type { LabRunSummary, LabStartAnswer } from '@/server/contract/console/lab/lab-run';
import { durationText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { failureTitleWithoutRetry } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPCClient } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { Button } from '../ui/controls/button';
import { useSubmit } from '../ui/controls/use-submit';
import { Instant } from '../ui/instant';
import { Panel } from '../ui/panel';
import { ProblemNote } from '../ui/problem-note';
import { VisibleText } from '../ui/visible-text';
import { RaceFields } from './race-fields';
import { chosenEntries, longestMs, parseForm, type RaceForm, startingForm } from './race-form';
import { StrategyPicker } from './strategy-picker';

type Busy = Pick<LabRunSummary, 'id' | 'startedBy' | 'startedAt'>;

/** What a race should run, under which load, and the button that starts it. */
export function RaceSetup({
  entries,
  from,
  running,
  now,
}: {
  /** Null until the servers were asked. */
  entries: LabEntry[] | null;
  from: LabSettings | null;
  /** The race that is running, of any user. */
  running: LabRunSummary | null;
  now: number;
}) {
  const client = useTRPCClient();
  const router = useRouter();
  const { may } = useSession();
  const isHydrated = useIsHydrated();
  const [form, setForm] = useState<RaceForm>(() => startingForm(from));
  const [refusedBy, setRefusedBy] = useState<Busy | null>(null);
  const { isBusy, problem, submit } = useSubmit();
  const known = entries ?? [];
  const settings = parseForm(form, known);
  const chosen = chosenEntries(form, known);
  const mayRun = may('operator');
  const busy = running ?? refusedBy;
  const change = (part: Partial<RaceForm>) => setForm((old) => ({ ...old, ...part }));

  const start = () =>
    submit(async () => {
      if (!settings) return;
      setRefusedBy(null);
      const answer: LabStartAnswer = await client.lab.start.mutate(settings);
      if (answer.outcome === 'started') router.push(`/lab/${answer.id}`);
      else setRefusedBy(answer);
    });

  return (
    <Panel
      title="New race"
      aside={entries && `${chosen.length} of ${plural(entries.length, 'strategy', 'strategies')}`}
    >
      <form
        className="flex flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <StrategyPicker
          entries={entries}
          chosen={new Set(chosen.map(({ id }) => id))}
          isReadOnly={!mayRun}
          onChoose={(strategies) => change({ strategies })}
        />
        <RaceFields form={form} isReadOnly={!mayRun} onChange={change} />
        <footer className="lab-start">
          {mayRun ? (
            <Button
              type="submit"
              tone="accent"
              size="large"
              disabled={!isHydrated || isBusy || !settings || running !== null}
            >
              {isBusy ? 'Starting…' : 'Start race'}
            </Button>
          ) : (
            <p className="text-t2">Requires operator role.</p>
          )}
          <p className="min-w-0 text-12 text-t3">{startHint(form, settings, entries)}</p>
        </footer>
        {busy && <BusyNote busy={busy} now={now} isRefused={refusedBy !== null} />}
        {problem && (
          <div className="px-3.5 pb-3.5">
            <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
          </div>
        )}
      </form>
    </Panel>
  );
}

/** How long it may take, or what is missing. */
function startHint(
  form: RaceForm,
  settings: LabSettings | null,
  entries: LabEntry[] | null,
): string {
  if (entries === null) return 'Asking the servers…';
  const longest = longestMs(settings);
  if (longest !== null) {
    return (
      `One strategy after another, at most ${durationText(longest)}. It runs in a process of ` +
      'its own at low priority.'
    );
  }
  return chosenEntries(form, entries).length === 0
    ? 'Required: at least one strategy'
    : 'Required: values within the limits';
}

function BusyNote({
  busy: { id, startedBy, startedAt },
  now,
  isRefused,
}: {
  busy: Busy;
  now: number;
  isRefused: boolean;
}) {
  return (
    <p role="status" className="mx-3.5 mb-3.5 rounded-8 bg-accbg px-3 py-2">
      {isRefused && 'Not started: one race at a time. '}
      <b className="font-[620]">
        <VisibleText text={startedBy} />
      </b>{' '}
      started a race at <Instant at={startedAt} now={now} />.{' '}
      <Link href={`/lab/${id}`} className="link">
        Watch it
      </Link>
    </p>
  );
}

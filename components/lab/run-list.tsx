'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { LabRunSummary } from '@/server/contract/console/lab/lab-run';
import { exactCount, plural } from '@/server/core/format/numbers';
import { instantText } from '../format/instants';
import { Instant, useZone } from '../ui/instant';
import { Panel } from '../ui/panel';
import { type Column, TableHead } from '../ui/table-head';
import { VisibleText } from '../ui/visible-text';
import { endLabel } from './run-labels';

const COLUMNS: Column[] = [
  { label: 'Compare', isHidden: true, cell: 'select' },
  ...['Started', 'Load', 'Result', 'End'],
];

const SHOWN_AT_FIRST = 10;

/** The runs that are kept, the newest first; two of them can be compared. */
export function RunList({ runs, now }: { runs: LabRunSummary[]; now: number }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  // The two that were chosen last.
  const toggle = (id: string) =>
    setChosen((old) => (old.includes(id) ? old.filter((it) => it !== id) : [...old, id].slice(-2)));
  const pair = runs.filter(({ id }) => chosen.includes(id)).map(({ id }) => id);
  if (runs.length === 0) {
    return (
      <Panel title="Runs">
        <p className="px-3.5 py-4 text-t2">
          No runs yet. The wrong ways oversell within seconds, without any server.
        </p>
      </Panel>
    );
  }
  return (
    <Panel
      title="Runs"
      aside={plural(runs.length, 'run')}
      end={
        pair.length === 2 ? (
          <Link
            href={`/lab/compare?a=${pair[1]}&b=${pair[0]}`}
            className="button"
            data-size="small"
          >
            Compare 2 runs
          </Link>
        ) : (
          runs.length > 1 && 'Select two runs to compare them'
        )
      }
    >
      <div className="list-in-card">
        <table className="list lab-runs">
          <TableHead columns={COLUMNS} />
          <tbody>
            {runs.slice(0, shown).map((run) => (
              <RunLine
                key={run.id}
                run={run}
                now={now}
                isChosen={chosen.includes(run.id)}
                onToggle={() => toggle(run.id)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {runs.length > shown && (
        <button
          type="button"
          className="link self-start px-3.5 py-2"
          onClick={() => setShown(runs.length)}
        >
          Show all {exactCount(runs.length)}
        </button>
      )}
    </Panel>
  );
}

function RunLine({
  run,
  now,
  isChosen,
  onToggle,
}: {
  run: LabRunSummary;
  now: number;
  isChosen: boolean;
  onToggle: () => void;
}) {
  const { id, startedAt, startedBy, settings, result } = run;
  const { workers, stock, strategies, pause } = settings;
  const started = instantText(startedAt, now, useZone());
  return (
    <tr data-selected={isChosen}>
      <td data-cell="select">
        <label className="select-box">
          <input
            type="checkbox"
            checked={isChosen}
            disabled={run.endedAt === null}
            aria-label={`Compare the run of ${startedBy} from ${started}`}
            onChange={onToggle}
          />
        </label>
      </td>
      <td data-cell="main">
        <Link href={`/lab/${id}`} prefetch={false} className="link">
          <Instant at={startedAt} now={now} />
        </Link>
        <span className="block text-12 font-[450] text-t3">
          <VisibleText text={startedBy} />
        </span>
      </td>
      <td data-cell="load">
        {plural(strategies.length, 'strategy', 'strategies')}
        <span className="block text-12 text-t3">
          {plural(workers, 'worker')}, stock {exactCount(stock)}
          {pause && ', one paused'}
        </span>
      </td>
      <td data-cell="result">
        {plural(result.held, 'strategy', 'strategies')} held
        {result.oversold > 0 && (
          <span className="block text-12 font-[550] text-dangertext">
            {result.oversold} oversold, +{exactCount(result.oversoldUnits)}
          </span>
        )}
      </td>
      <td data-cell="act" className="text-t2">
        {endLabel(run)}
      </td>
    </tr>
  );
}

'use client';

import { useState } from 'react';
import type { LabRow } from '@/server/contract/console/lab/lab-race';
import type { LabRun, LabRunEntry } from '@/server/contract/console/lab/lab-run';
import { exactCount } from '@/server/core/format/numbers';
import { entryLabel } from '../run-labels';
import { SourceDialog } from '../source/source-dialog';
import { decadeText, type LabScales, labScales } from './lab-scales';
import { runVerdict, sortRows } from './lab-verdict';
import { LatencyCell, SoldCell, SpeedCell, VerdictBadge } from './result-cells';

/**
 * The results of a run, a line for each strategy. While it runs, they are in the order of the race;
 * then those that oversold come first and the fastest next.
 */
export function ResultTable({ run }: { run: LabRun }) {
  const [shown, setShown] = useState<LabRunEntry | null>(null);
  const { rows, entries, settings, endedAt } = run;
  const scales = labScales(rows, settings.stock);
  const { fastest } = runVerdict(run);
  const entryOf = (id: string) => entries.find((entry) => entry.id === id);
  const sorted = endedAt === null ? rows : sortRows(rows);
  const finished = new Set(rows.map(({ id }) => id));
  const waiting = entries.filter(({ id }) => !finished.has(id));
  return (
    <>
      <table className="lab-table">
        <Heads scales={scales} stock={settings.stock} isSorted={endedAt !== null} />
        <tbody>
          {sorted.map((row) => (
            <ResultRow
              key={row.id}
              row={row}
              entry={entryOf(row.id)}
              scales={scales}
              isBest={endedAt !== null && row === fastest}
              onSource={() => setShown(entryOf(row.id) ?? null)}
            />
          ))}
          {waiting.map((entry) => (
            <tr key={entry.id} data-waiting="true">
              <Strategy
                title={entry.title}
                label={entryLabel(entry, null)}
                onSource={() => setShown(entry)}
              />
              <td colSpan={8} data-cell="note">
                {noteOf(entry, run)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown && <SourceDialog id={shown.id} title={shown.title} onClose={() => setShown(null)} />}
    </>
  );
}

function noteOf({ id }: LabRunEntry, { current, endedAt }: LabRun): string {
  if (endedAt !== null) return 'Did not run';
  return current?.id === id ? 'Running…' : 'Waiting';
}

function Heads({
  scales: { stockAt, latencyMs },
  stock,
  isSorted,
}: {
  scales: LabScales;
  stock: number;
  isSorted: boolean;
}) {
  return (
    <thead>
      <tr>
        <th scope="col">Strategy</th>
        <th scope="col" data-cell="sold">
          <span className="lab-sold-head">
            Sold
            <b style={{ insetInlineStart: `max(${stockAt * 100}%, 64px)` }}>
              stock {exactCount(stock)}
            </b>
          </span>
        </th>
        <th scope="col" data-number="true">
          Oversold
        </th>
        <th scope="col" aria-sort={isSorted ? 'descending' : undefined} data-cell="speed">
          Operations per second{isSorted && '\u00a0↓'}
        </th>
        <th scope="col" data-cell="latency">
          p99, p50{' '}
          <span className="text-t3">
            {decadeText(latencyMs.from)} to {decadeText(latencyMs.to)}, log
          </span>
        </th>
        {['Conflicts', 'Deadlocks', 'Retries'].map((label) => (
          <th key={label} scope="col" data-number="true" data-cell="count">
            {label}
          </th>
        ))}
        <th scope="col" data-cell="verdict">
          Verdict
        </th>
      </tr>
    </thead>
  );
}

function ResultRow({
  row,
  entry,
  scales,
  isBest,
  onSource,
}: {
  row: LabRow;
  entry: LabRunEntry | undefined;
  scales: LabScales;
  isBest: boolean;
  onSource: () => void;
}) {
  const isWrongWay = entry?.kind === 'wrong way';
  return (
    <tr data-verdict={row.verdict} data-best={isBest}>
      <Strategy
        title={row.title}
        label={entryLabel(entry, row.servers)}
        reason={row.reason}
        onSource={onSource}
      />
      <SoldCell row={row} scales={scales} />
      <td data-cell="oversold" data-number="true" data-label="Oversold">
        {row.oversold > 0 ? (
          <b className="text-14 font-[620] text-dangertext">+{exactCount(row.oversold)}</b>
        ) : (
          <span className="text-t2">0</span>
        )}
      </td>
      <SpeedCell row={row} scales={scales} isBest={isBest} isWrongWay={isWrongWay} />
      <LatencyCell row={row} scales={scales} />
      <Count label="Conflicts" value={row.conflicts} />
      <Count label="Deadlocks" value={row.deadlocks} isBad />
      <Count label="Retries" value={row.retries} />
      <td data-cell="verdict">
        <VerdictBadge verdict={row.verdict} isWrongWay={isWrongWay} />
      </td>
    </tr>
  );
}

function Strategy({
  title,
  label,
  reason,
  onSource,
}: {
  title: string;
  label: string;
  reason?: string | undefined;
  onSource: () => void;
}) {
  return (
    <th scope="row" data-cell="strategy">
      <button type="button" className="lab-title" title="Show its source" onClick={onSource}>
        {title}
      </button>
      <span className="block text-12 font-[450] text-t3">{label}</span>
      {reason && <span className="block text-12 font-[450] text-t2">{reason}</span>}
    </th>
  );
}

function Count({ label, value, isBad = false }: { label: string; value: number; isBad?: boolean }) {
  const ink = value === 0 ? 'text-t3' : isBad ? 'font-[550] text-contended' : '';
  return (
    <td data-cell="count" data-number="true" data-label={label} className={ink}>
      {exactCount(value)}
    </td>
  );
}

'use client';

import Link from 'next/link';
import type { LabRow } from '@/server/contract/console/lab/lab-race';
import { isOfWrongWay, type LabRun } from '@/server/contract/console/lab/lab-run';
import { exactCount, plural } from '@/server/core/format/numbers';
import { latencyText } from '../../format/durations';
import { Instant } from '../../ui/instant';
import { PageHead } from '../../ui/page-head';
import { VisibleText } from '../../ui/visible-text';
import { VerdictBadge } from '../result/result-cells';
import { changeLabel, compareRows, settingDifferences } from './compare-runs';

/** Two runs side by side, strategy by strategy. */
export function CompareView({ a, b }: { a: LabRun; b: LabRun }) {
  const differences = settingDifferences(a, b);
  const verb = differences.length === 1 ? 'differs' : 'differ';
  return (
    <div className="page lab-page">
      <div>
        <PageHead
          title="Compare runs"
          end={
            <Link href="/lab" className="button">
              All runs
            </Link>
          }
        >
          A: <RunLink run={a} /> · B: <RunLink run={b} />
        </PageHead>
        <p className="pb-3.5 text-t2">
          {differences.length === 0
            ? 'Same settings.'
            : `${plural(differences.length, 'setting')} ${verb}: ${differences
                .map(([name, before, after]) => `${name} ${before} → ${after}`)
                .join(', ')}.`}
        </p>
        <div className="card">
          <table className="lab-table lab-compare">
            <thead>
              <tr>
                <th scope="col">Strategy</th>
                <th scope="col" data-number="true">
                  Sold A
                </th>
                <th scope="col" data-number="true">
                  Sold B
                </th>
                <th scope="col" data-number="true">
                  Per second A
                </th>
                <th scope="col" data-number="true">
                  Per second B
                </th>
                <th scope="col" data-number="true">
                  Change
                </th>
                <th scope="col" data-number="true">
                  p99 A
                </th>
                <th scope="col" data-number="true">
                  p99 B
                </th>
                <th scope="col" data-number="true">
                  Change
                </th>
                <th scope="col" data-cell="verdict">
                  Verdict A
                </th>
                <th scope="col" data-cell="verdict">
                  Verdict B
                </th>
              </tr>
            </thead>
            <tbody>
              {compareRows(a, b).map(({ id, title, a: before, b: after }) => (
                <tr key={id}>
                  <th scope="row" data-cell="strategy">
                    {title}
                  </th>
                  <Sold label="Sold A" row={before} />
                  <Sold label="Sold B" row={after} />
                  <Cell label="Per second A" text={speedOf(before)} />
                  <Cell label="Per second B" text={speedOf(after)} />
                  <Cell
                    label="Change"
                    text={changeLabel(before?.opsPerSecond, after?.opsPerSecond)}
                    isQuiet
                  />
                  <Cell label="p99 A" text={before && latencyText(before.p99Ms)} />
                  <Cell label="p99 B" text={after && latencyText(after.p99Ms)} />
                  <Cell label="Change" text={changeLabel(before?.p99Ms, after?.p99Ms)} isQuiet />
                  <Verdict label="Verdict A" row={before} of={a} />
                  <Verdict label="Verdict B" row={after} of={b} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </div>
  );
}

function RunLink({ run }: { run: LabRun }) {
  return (
    <>
      <Link href={`/lab/${run.id}`} className="link">
        <Instant at={run.startedAt} now={run.asOf} />
      </Link>{' '}
      by <VisibleText text={run.startedBy} />
    </>
  );
}

const speedOf = (row: LabRow | null) => row && exactCount(Math.round(row.opsPerSecond));

function Cell({
  label,
  text,
  isQuiet = false,
}: {
  label: string;
  text: string | null;
  isQuiet?: boolean;
}) {
  return (
    <td data-number="true" data-label={label} className={isQuiet ? 'text-t2' : ''}>
      {text ?? <span className="text-t3">–</span>}
    </td>
  );
}

function Sold({ label, row }: { label: string; row: LabRow | null }) {
  return (
    <td data-number="true" data-label={label}>
      {row ? exactCount(row.sold) : <span className="text-t3">–</span>}
      {row && row.oversold > 0 && (
        <b className="block font-[620] text-dangertext">+{exactCount(row.oversold)}</b>
      )}
    </td>
  );
}

function Verdict({ label, row, of }: { label: string; row: LabRow | null; of: LabRun }) {
  return (
    <td data-cell="verdict" data-label={label}>
      {row ? (
        <VerdictBadge verdict={row.verdict} isWrongWay={isOfWrongWay(row.id, of.entries)} />
      ) : (
        <span className="text-t3">did not run</span>
      )}
    </td>
  );
}

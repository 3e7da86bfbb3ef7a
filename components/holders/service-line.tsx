'use client';

import { oldestOf } from '@/server/contract/console/waits/holder-figures';
import type { ProcessRow, ServiceRow } from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../icons/icon';
import { Blocking, OldestHold } from './holder-cells';

/** A service above its processes, with their totals; it folds and unfolds them. */
export function ServiceLine({
  service,
  rows,
  all,
  isCut,
  isFolded,
  onToggle,
}: {
  service: string;
  /** Its processes that are listed. */
  rows: readonly ProcessRow[];
  /** The totals of all its processes; null: a filter hides some. */
  all: ServiceRow | null;
  /** More of its processes may be waiting than are listed. */
  isCut: boolean;
  isFolded: boolean;
  onToggle: () => void;
}) {
  const sum = (of: (row: ProcessRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const holders = rows.filter(({ holds }) => holds > 0).length;
  const hidden = all ? Math.max(0, all.processes - holders) : 0;
  const waits = sum((row) => row.waits);
  const atLeast = isCut ? '≥\u00a0' : '';
  return (
    <tr className="holder-service">
      <th scope="rowgroup">
        <button
          type="button"
          className="holder-toggle"
          aria-expanded={!isFolded}
          data-service
          onClick={onToggle}
        >
          <Icon name={isFolded ? 'chevron-right' : 'chevron-down'} size={14} />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <span className="mr-1 font-[620] text-t1">{service}</span>{' '}
            <span className="font-[450] text-12 text-t3">
              {atLeast}
              {plural(rows.length + hidden, 'process', 'processes')}
              {hidden > 0 &&
                (isCut
                  ? `, ${exactCount(rows.length)} listed`
                  : `, ${exactCount(hidden)} not listed`)}
            </span>
          </span>
        </button>
      </th>
      <td className="text-12 text-t2">
        <Troubles rows={rows} />
      </td>
      <td className="holder-place" />
      <td className="holder-version truncate text-12 text-t3" title={versionsOf(rows)}>
        {versionsOf(rows)}
      </td>
      <td data-number="true">{exactCount(all?.holds ?? sum((row) => row.holds))}</td>
      <td className="holder-wait text-12 text-t2">
        {waits > 0 ? `${atLeast}${exactCount(waits)} waiting` : <span className="text-t3">–</span>}
      </td>
      <td data-number="true">
        <Blocking
          row={{ blocked: sum((row) => row.blocked), blockingMs: sum((row) => row.blockingMs) }}
        />
      </td>
      <td data-number="true">
        <OldestHold hold={oldestOf(rows.map((row) => row.oldest))} />
      </td>
    </tr>
  );
}

/** How many of its processes are dead or in a deadlock. */
function Troubles({ rows }: { rows: readonly ProcessRow[] }) {
  const dead = rows.filter(({ verdict }) => verdict?.state === 'dead').length;
  const deadlocked = rows.filter(({ inDeadlock }) => inDeadlock).length;
  const troubles = [
    ...(dead > 0 ? [`${exactCount(dead)} dead`] : []),
    ...(deadlocked > 0 ? [`${exactCount(deadlocked)} in a deadlock`] : []),
  ];
  if (troubles.length === 0) return null;
  return <span className="font-[550] text-dangertext">{troubles.join(', ')}</span>;
}

/** The version of its processes, or how many versions there are. */
function versionsOf(rows: readonly ProcessRow[]): string {
  const versions = [...new Set(rows.flatMap(({ version }) => version ?? []))];
  if (versions.length > 1) return plural(versions.length, 'version');
  return versions[0] === undefined ? '–' : visibleText(versions[0]);
}

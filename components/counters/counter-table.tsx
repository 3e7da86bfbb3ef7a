import Link from 'next/link';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { SelectBox } from '../deletion/select-box';
import { isNameable } from '../deletion/selection';
import type { SelectionControls } from '../deletion/use-selection';
import { counterPath } from '../format/lock-path';
import { visibleText } from '../format/visible-name';
import { ExactName } from '../ui/exact-name';
import { boundLabel } from './counter-labels';
import { CounterValue } from './counter-value';
import { Headroom } from './headroom';
import { LastChange } from './last-change';

/** The counters, one a line; on a phone a block each. */
export function CounterTable({
  rows,
  selecting,
}: {
  rows: CounterRow[];
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
}) {
  return (
    <div className="card list-in-card">
      <table className="list counter-list" data-selecting={selecting?.isSelecting}>
        <thead>
          <tr>
            {selecting && (
              <th scope="col" data-cell="select">
                <SelectBox
                  label="Select all shown counters"
                  isChecked={selecting.loaded === 'all'}
                  isMixed={selecting.loaded === 'some'}
                  onSelect={selecting.selectLoaded}
                />
              </th>
            )}
            <th scope="col">Name</th>
            <th scope="col" data-cell="value" data-number="true">
              Value
            </th>
            <th scope="col" data-cell="room">
              Headroom
            </th>
            <th scope="col" data-cell="bound" data-number="true">
              Floor
            </th>
            <th scope="col" data-cell="bound" data-number="true">
              Ceiling
            </th>
            <th scope="col">Last change</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-selected={selecting?.selection.has(row.id)}>
              {selecting && <SelectCell row={row} selecting={selecting} />}
              <td data-cell="main">
                <Link
                  href={counterPath(row.namespace, row.name)}
                  prefetch={false}
                  className="flex min-w-0 rounded-4"
                >
                  <ExactName name={row.name} />
                </Link>
                <span className="block truncate text-12 font-[450] text-t3">
                  {row.namespace} · {row.backend}
                </span>
              </td>
              <td data-cell="act" data-number="true" className="font-[550]">
                <CounterValue row={row} />
              </td>
              <td data-cell="room">
                <Headroom row={row} />
              </td>
              <td data-number="true" className="text-t2 max-md:hidden!">
                {boundLabel(row.floor)}
              </td>
              <td data-number="true" className="text-t2 max-md:hidden!">
                {boundLabel(row.ceiling)}
              </td>
              <td data-cell="move">
                <LastChange row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SelectCell({ row, selecting }: { row: CounterRow; selecting: SelectionControls }) {
  const { selection, select } = selecting;
  return (
    <td data-cell="select">
      {isNameable(row) && (
        <SelectBox
          label={`Select ${visibleText(row.name)}`}
          isChecked={selection.has(row.id)}
          onSelect={(isSelected, isRange) => select(row.id, isSelected, isRange)}
        />
      )}
    </td>
  );
}

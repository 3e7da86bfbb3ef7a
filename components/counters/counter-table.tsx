import Link from 'next/link';
import type { CounterRow } from '@/server/domain/counter-row';
import { counterPath } from '../format/lock-path';
import { ExactName } from '../ui/exact-name';
import { boundText } from './counter-standing';
import { CounterValue } from './counter-value';
import { LastMove } from './last-move';
import { RoomBar } from './room-bar';

/** The counters, one a line; on a phone a block each. */
export function CounterTable({ rows }: { rows: CounterRow[] }) {
  return (
    <div className="card list-in-card">
      <table className="list counter-list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" data-number="true">
              Value
            </th>
            <th scope="col">Room</th>
            <th scope="col" data-number="true">
              Floor
            </th>
            <th scope="col" data-number="true">
              Ceiling
            </th>
            <th scope="col">Last move</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
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
                <RoomBar row={row} />
              </td>
              <td data-number="true" className="text-t2 max-md:hidden!">
                {boundText(row.floor)}
              </td>
              <td data-number="true" className="text-t2 max-md:hidden!">
                {boundText(row.ceiling)}
              </td>
              <td data-cell="move">
                <LastMove row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

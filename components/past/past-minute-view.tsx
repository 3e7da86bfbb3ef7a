'use client';

import type { PastMinute } from '@/server/contract/console/past/past-minute';
import { durationText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { LockLink } from '../locks/lock-link';
import { Instant } from '../ui/instant';
import { PageHead } from '../ui/page-head';
import { TableHead } from '../ui/table-head';

const HEADS = ['Lock', 'Grants', 'Timed out', 'Expired', 'Force-released', 'Wait p99', 'Hold p99'];

/** What happened to the locks in a minute whose single events are no longer kept. */
export function PastMinuteView({ minute: { minute, rows, areMore } }: { minute: PastMinute }) {
  return (
    <div className="page">
      <PageHead title="What happened in this minute">
        The events of this time are no longer kept, so holders and waiters are unknown. These are
        the roll-ups of the minute from <Instant at={minute} now={0} />.
      </PageHead>
      <div className="card overflow-x-auto">
        <table className="past-minute">
          <TableHead columns={HEADS} />
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.backend}/${row.namespace}/${row.name}`}>
                <th scope="row">
                  <LockLink namespace={row.namespace} name={row.name} />
                </th>
                {[row.grants, row.timeouts, row.expiries, row.forced].map((count, i) => (
                  <td key={HEADS[i + 1]}>{exactCount(count)}</td>
                ))}
                {[row.waitP99Ms, row.holdP99Ms].map((ms, i) => (
                  <td key={HEADS[i + 5]}>{ms === null ? '–' : durationText(ms)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {areMore && <p className="py-3 text-12 text-t3">More locks were used in this minute.</p>}
    </div>
  );
}

'use client';

import type { GraphLock, GraphWait, WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { displayedMs } from '../format/durations';
import { keyed } from '../format/keyed';
import { useAtBackend } from '../live/reading';
import { LockLink } from '../locks/lock-link';
import { Duration } from '../ui/duration';
import { type Column, TableHead } from '../ui/table-head';
import { ExactName } from '../ui/visible-text';
import { DeadlockBadge } from './deadlock-badge';
import { isUnknown } from './wait-facts';
import { isFiltering, listedWaits, type WaitFilter } from './wait-filter';

const COLUMNS: Column[] = [
  'Waiting',
  { label: 'For', isNumber: true, className: 'wait-age' },
  'Lock',
  'Held by',
  'Head blocker',
];

const NAMES_SHOWN = 2;

/** The wait-for graph as a table: who waits for which lock, who holds it, who is at the root. */
export function WaitTable({ graph, filter }: { graph: WaitGraph; filter: WaitFilter }) {
  const rows = listedWaits(graph, filter);
  return (
    <div className="wait-table">
      {/* On a phone the table has no head, and would be taken for more head blockers. */}
      <h2 className="flex h-[30px] items-center font-[550] text-12 text-t2 md:hidden">
        Waiting callers
      </h2>
      <table className="list">
        <caption className="sr-only">Who waits for which lock, and who keeps it waiting</caption>
        <TableHead columns={COLUMNS} />
        <tbody>
          {rows.map(({ lock, wait, roots, inDeadlock }) => (
            <tr key={`${lock.id} ${wait.ticket}`}>
              <td data-cell="main">
                <OwnerName graph={graph} place={wait.owner} />
              </td>
              <td data-cell="act" data-number="true">
                <WaitAge lock={lock} wait={wait} />
              </td>
              <td>
                <LockLink namespace={lock.namespace} name={lock.name} className="text-12" />
                <span className="text-12 text-t3">
                  {lock.namespace} · {lock.backend}
                </span>
              </td>
              <td>
                <Names
                  graph={graph}
                  label="Held by"
                  owners={lock.holders.map(({ owner }) => owner)}
                  none="not held"
                />
              </td>
              <td>
                {inDeadlock ? (
                  <DeadlockBadge />
                ) : (
                  <Names graph={graph} label="Head blocker" owners={roots} none="the lock itself" />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!isFiltering(filter) && graph.waiting > rows.length && (
        <p className="py-2 text-12 text-t3">
          {plural(graph.waiting - rows.length, 'more caller')} waiting, not listed.
        </p>
      )}
    </div>
  );
}

/** How long a caller has waited; a lower bound if its backend does not respond. */
export function WaitAge({ lock, wait }: { lock: GraphLock; wait: GraphWait }) {
  const isOld = isUnknown(lock);
  const ageMs = useAtBackend(lock, (now, _, lastAnswerAt) =>
    displayedMs((isOld ? lastAnswerAt : now) - wait.enqueuedAt),
  );
  return <Duration ms={ageMs} atLeast={isOld} />;
}

function OwnerName({ graph, place }: { graph: WaitGraph; place: number }) {
  const owner = graph.owners[place];
  if (!owner) return null;
  return (
    <span className="flex min-w-0 flex-col">
      <ExactName name={owner.owner} className="text-12" />
      <span className="font-[450] text-12 text-t3">{owner.service}</span>
    </span>
  );
}

function Names({
  graph,
  label,
  owners,
  none,
}: {
  graph: WaitGraph;
  /** On a phone, where the column heads are hidden. */
  label: string;
  owners: number[];
  none: string;
}) {
  const names = owners.flatMap((place) => graph.owners[place]?.owner ?? []);
  const hidden = names.length - NAMES_SHOWN;
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
      <span className="text-12 text-t3 md:hidden">{label}</span>
      {names.length === 0 && <span className="text-12 text-t3">{none}</span>}
      {keyed(names.slice(0, NAMES_SHOWN), (name) => name).map(({ key, item: name }) => (
        <ExactName key={key} name={name} className="text-12" />
      ))}
      {hidden > 0 && (
        <span
          className="text-12 text-t3"
          title={names.slice(NAMES_SHOWN).map(visibleText).join(', ')}
        >
          and {hidden} more
        </span>
      )}
    </span>
  );
}

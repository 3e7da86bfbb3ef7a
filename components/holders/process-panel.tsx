'use client';

import {
  type HeldLock,
  PROCESS_LOCKS_SHOWN,
  type ProcessDetail,
} from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '@/server/core/format/numbers';
import { displayedMs } from '../format/durations';
import { keyed } from '../format/keyed';
import { problemOf } from '../live/problem';
import { useAtBackend } from '../live/reading';
import { useSession } from '../live/session';
import { LockLink } from '../locks/lock-link';
import { OpenTrace } from '../locks/open-trace';
import { Countdown } from '../locks/row/lease-left';
import { Button } from '../ui/controls/button';
import { Duration } from '../ui/duration';
import { ProblemNote } from '../ui/problem-note';
import { StatusBadge } from '../ui/status-badge';
import { type Column, TableHead } from '../ui/table-head';
import { ExactName } from '../ui/visible-text';
import { BackendMark } from './backend-mark';
import { AfterRelease } from './release/after-release';
import { useReleaseProcess } from './release/releasing-process';
import { useProcessDetail } from './use-process-detail';

const COLUMNS: Column[] = [
  'Lock',
  { label: 'State', className: 'process-state' },
  { label: 'Held for', isNumber: true, className: 'process-number' },
  { label: 'Lease left', className: 'process-lease' },
  { label: 'Waiters', isNumber: true, className: 'process-number' },
  'If released',
];

/** Everything that one process holds and waits for, and the action that ends all of its holds. */
export function ProcessPanel({ id, title }: { id: string; title: string }) {
  const { may } = useSession();
  const release = useReleaseProcess();
  const { data, error } = useProcessDetail(id);
  return (
    <div className="process-panel">
      {error && <ProblemNote problem={problemOf(error)} title="Nothing new is known of it" />}
      {!data && !error && <p className="after-a-moment py-3 text-t3">Loading its locks…</p>}
      {data && (
        <>
          <header className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5">
            <p className="font-[550]">
              <Summary detail={data} />
            </p>
            {may('operator') && data.locks.length > 0 && (
              <Button
                tone="danger-word"
                className="ml-auto"
                data-release-all
                onClick={() => release({ id, title, locks: data.locks })}
              >
                {data.locks.length === 1
                  ? 'Release the lock it holds…'
                  : `Release all ${exactCount(data.locks.length)} it holds…`}
              </Button>
            )}
          </header>
          <HeldLocks detail={data} />
          <Waits detail={data} />
        </>
      )}
    </div>
  );
}

function Summary({ detail: { row, locks } }: { detail: ProcessDetail }) {
  const waitedFor = locks.filter(({ waiters }) => waiters > 0).length;
  const blockers = locks.length === 1 ? 'it' : `${exactCount(waitedFor)} of them`;
  const isDead = row.verdict?.state === 'dead';
  return (
    <>
      {isDead ? 'This process is gone and still holds' : 'Holds'}{' '}
      {row.holds === 0 ? 'no locks' : plural(row.holds, 'lock')}
      {row.holds > locks.length && `, the first ${exactCount(PROCESS_LOCKS_SHOWN)} listed`}
      {row.blocked > 0 && `. ${plural(row.blocked, 'caller')} blocked by ${blockers}`}.
    </>
  );
}

function HeldLocks({ detail: { locks } }: { detail: ProcessDetail }) {
  if (locks.length === 0) return null;
  return (
    <table className="list">
      <TableHead columns={COLUMNS} />
      <tbody>
        {locks.map((lock) => (
          <tr key={`${lock.namespace} ${lock.name} ${lock.token}`}>
            <td data-cell="main">
              <span className="flex min-w-0 items-baseline gap-1.5">
                <BackendMark id={lock.backend} />
                <LockLink namespace={lock.namespace} name={lock.name} />
              </span>
              <span className="font-[450] text-12 text-t3">
                {lock.namespace} · {lock.backend}
              </span>{' '}
              <OpenTrace traceparent={lock.traceparent} />
            </td>
            <td data-cell="act">
              <StatusBadge status={lock.status} />
            </td>
            <td data-number="true" className="max-md:hidden!">
              <HeldFor lock={lock} />
            </td>
            <td>
              <span className="flex items-center gap-2">
                {lock.status === 'unknown' ? (
                  <span className="text-t3">unknown</span>
                ) : (
                  <Countdown
                    keeper={lock}
                    until={lock.expiresAt}
                    wholeMs={lock.leaseMs}
                    isAlarming={lock.status === 'expiring'}
                  />
                )}
              </span>
            </td>
            <td data-number="true" className={lock.waiters > 0 ? 'font-[600]' : 'text-t3'}>
              {exactCount(lock.waiters)}
              <span className="md:hidden"> waiting</span>
            </td>
            <td className="text-12 text-t2">
              <AfterRelease lock={lock} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HeldFor({ lock }: { lock: HeldLock }) {
  const isOld = lock.status === 'unknown';
  const heldMs = useAtBackend(lock, (now, _, lastAnswerAt) =>
    displayedMs((isOld ? lastAnswerAt : now) - lock.grantedAt),
  );
  return <Duration ms={heldMs} atLeast={isOld} />;
}

const waitKey = ({ namespace, name, enqueuedAt }: ProcessDetail['waits'][number]) =>
  `${namespace} ${name} ${enqueuedAt}`;

function Waits({ detail: { waits } }: { detail: ProcessDetail }) {
  if (waits.length === 0) return null;
  return (
    <section aria-label="Waits for" className="border-line border-t py-2">
      <h3 className="text-12 text-t2">Waits for</h3>
      <ul>
        {keyed(waits, waitKey).map(({ key, item: wait }) => (
          <li key={key} className="flex min-w-0 flex-wrap items-baseline gap-x-2.5">
            <BackendMark id={wait.backend} />
            <LockLink namespace={wait.namespace} name={wait.name} />
            <span className="text-12 text-t3">
              {wait.namespace} · {wait.backend} · position {exactCount(wait.place)} of{' '}
              {exactCount(wait.waiting)}
            </span>
            {wait.holders.length > 0 && (
              <span className="flex min-w-0 items-baseline gap-1.5 text-12 text-t2">
                held by
                {keyed(wait.holders, (owner) => owner).map(({ key: each, item: owner }) => (
                  <ExactName key={each} name={owner} className="text-12" />
                ))}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

import Link from 'next/link';
import type { HolderWait, LockWaitPart } from '@/server/contract/console/waits/wait-graph';
import { lockPath } from '@/server/core/paths/console-path';
import { keyed } from '../../format/keyed';
import { pastHref } from '../../past/past-address';
import { usePastAt } from '../../past/past-at';
import { ExactName, VisibleText } from '../../ui/visible-text';
import { DeadlockBadge } from '../../waits/deadlock-badge';

const waitKey = ({ owner, namespace, name }: HolderWait) => `${owner} ${namespace} ${name}`;

/** Whether the lock is itself held up: in a deadlock, or by what its holder waits for. */
export function WaitPartNote({ part: { inDeadlock, holderWaits } }: { part: LockWaitPart }) {
  const at = usePastAt();
  if (!inDeadlock && holderWaits.length === 0) return null;
  return (
    <section aria-label="Root or victim" className="card flex flex-col gap-1 px-3.5 py-2.5">
      {inDeadlock && (
        <p className="flex flex-wrap items-center gap-x-2.5">
          <DeadlockBadge />
          <span>Its holder and a waiter wait for each other, directly or through others.</span>
        </p>
      )}
      <ul>
        {keyed(holderWaits, waitKey).map(({ key, item: wait }) => (
          <li key={key} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <HolderWaitLine wait={wait} />
          </li>
        ))}
      </ul>
      <Link
        href={pastHref('/waits', at)}
        prefetch={false}
        className="link self-start rounded-4 text-12"
      >
        See who waits for whom
      </Link>
    </section>
  );
}

function HolderWaitLine({ wait }: { wait: HolderWait }) {
  const { owner, namespace, name, heldBy, isConcurrent } = wait;
  const at = usePastAt();
  return (
    <>
      <span className="text-t2">Holder</span>
      <ExactName name={owner} className="text-12" />
      <span className="text-t2">{isConcurrent ? 'also waits for' : 'waits for'}</span>
      <Link
        href={pastHref(lockPath(namespace, name), at)}
        prefetch={false}
        className="link flex min-w-0 rounded-4"
      >
        <ExactName name={name} />
      </Link>
      <span className="text-t2">
        {heldBy === null ? (
          'which is not held'
        ) : (
          <>
            held by <VisibleText text={heldBy} />
          </>
        )}
      </span>
    </>
  );
}

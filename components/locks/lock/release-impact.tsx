'use client';

import type { ReactNode } from 'react';
import type { HoldRow, LockDetail } from '@/server/contract/console/lock-row';
import { boundText } from '@/server/core/format/durations';
import { isReleased } from '@/server/core/lock/lock-record';
import { othersText, permitsLeft, servedTogether } from '@/server/core/verdict/release-impact';
import { shortToken } from '../../format/numbers';
import type { IconName } from '../../icons/icon';
import { Icon } from '../../icons/icon';
import { useIsClosed } from '../../shell/backend-queries';
import { Panel } from '../../ui/panel';
import { ExactName } from '../../ui/visible-text';
import { unknownLabel } from '../lock-labels';
import { permitImpact, stillWaiting } from './permit-impact';

/** What would happen if the lock were taken from its holder now. */
export function ReleaseImpact({ detail, chosen }: { detail: LockDetail; chosen: HoldRow | null }) {
  const { row, waiters, minValidToken, policy } = detail;
  const next = waiters[0];
  const served = servedTogether(waiters, permitsLeft(row, chosen)).length;
  const isClosed = useIsClosed(row.backend);
  const unknown = unknownLabel(row);
  const isKept = chosen !== null && isReleased(chosen);
  const isDead = chosen?.liveness?.state === 'dead';
  // It begins with the end of any hold that is lost, also beside those of others.
  const hasDelay = row.hold !== null && !isKept && policy.lockDelayMs > 0;
  const delay = hasDelay ? boundText(policy.lockDelayMs) : null;
  const permits = chosen && permitImpact(detail, chosen, delay);
  return (
    <Panel title={row.hold ? 'Impact of release' : 'Next grant'}>
      <ul className="flex flex-col gap-2.5 px-3.5 py-3">
        <Line icon="arrow-right">
          {unknown ? (
            `State ${unknown}.`
          ) : isClosed ? (
            'No grant: backend is not granting locks.'
          ) : row.frozen ? (
            'No grant: frozen.'
          ) : permits ? (
            permits
          ) : row.holders > 1 ? (
            'Other shared holders keep it.'
          ) : next ? (
            <>
              {next.setSize ? 'Offered to ' : 'Granted to '}
              <ExactName name={next.owner} className="text-12" />
              {othersText(served - 1)}
              {next.setSize && `, which takes it once all ${next.setSize} of its locks are free`}
              {row.status === 'delayed' && ' after the lock delay'}
              {delay && ` after ${delay}`}.{' '}
              <span className="text-t3">{stillWaiting(waiters.length - served)}</span>
            </>
          ) : row.status === 'delayed' ? (
            'Granted to the next caller after the lock delay.'
          ) : row.hold ? (
            `Becomes free${delay ? ` after ${delay}` : ''}, no waiters.`
          ) : (
            'Available immediately.'
          )}
        </Line>
        {isKept && (
          <Line icon="check">
            Its holder has released it.{' '}
            <span className="text-t3">
              It stays held for the minimum time that it was acquired for.
            </span>
          </Line>
        )}
        {isDead && (
          <Line icon="unplug">
            Nothing is interrupted: its process is dead.{' '}
            <span className="text-t3">
              Writes that it sent before are rejected only by resources that check the fencing
              token.
            </span>
          </Line>
        )}
        {row.hold && !isKept && !isDead && (
          <Line icon="alert-triangle" ink="text-contended">
            The holder is not stopped. It finds out at its next renewal.{' '}
            <span className="text-t3">
              Its writes are rejected only by resources that check the fencing token.
            </span>
          </Line>
        )}
        {row.holders <= 1 && (row.hold || minValidToken > 0) && (
          <Line icon="key">
            {row.hold && !isKept && 'Token invalidated immediately: '}
            <span className="text-t3">
              {row.hold && !isKept
                ? 'resources that check it reject tokens below '
                : 'Resources that check tokens reject those below '}
              <span className="font-mono text-12 whitespace-nowrap" title={String(minValidToken)}>
                {shortToken(row.hold ? row.hold.token + 1 : minValidToken)}
              </span>
              .
            </span>
          </Line>
        )}
        {delay && !row.frozen && (
          <Line icon="clock" ink="text-delayed">
            No grants for {delay} afterwards{' '}
            <span className="text-t3">(namespace lock delay).</span>
          </Line>
        )}
      </ul>
    </Panel>
  );
}

function Line({
  icon,
  ink = 'text-t2',
  children,
}: {
  icon: IconName;
  ink?: string;
  children: ReactNode;
}) {
  return (
    <li className="flex gap-2.5">
      <Icon name={icon} size={15} className={`mt-[3px] ${ink}`} />
      <p className="min-w-0">{children}</p>
    </li>
  );
}

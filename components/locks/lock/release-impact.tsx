'use client';

import type { ReactNode } from 'react';
import type { HoldRow, LockDetail } from '@/server/contract/console/lock-row';
import { boundText } from '@/server/core/format/durations';
import { isReleased } from '@/server/core/lock/lock-record';
import { othersText, permitsLeft, servedTogether } from '@/server/core/verdict/release-impact';
import { shortToken } from '../../format/numbers';
import { Icon, type IconName } from '../../icons/icon';
import { useRefusing, useStaleAge } from '../../live/reading';
import { useIsClosed } from '../../shell/backend-queries';
import { Panel } from '../../ui/panel';
import { ExactName } from '../../ui/visible-text';
import { unknownLabel } from '../lock-labels';
import { permitImpact, stillWaiting } from './permit-impact';

interface Props {
  detail: LockDetail;
  /** The hold that would be released. */
  chosen: HoldRow | null;
}

/** What would happen if the lock were taken from its holder now; says so if it is unknown. */
export function ReleaseImpact({ detail, chosen }: Props) {
  const { row, policy } = detail;
  const isUnknown = row.status === 'unknown';
  const isKept = chosen !== null && isReleased(chosen);
  // A lock delay begins whenever a hold is lost, even if other holds remain.
  const hasDelay = row.hold !== null && !isKept && policy.lockDelayMs > 0;
  const delay = hasDelay ? boundText(policy.lockDelayMs) : null;
  return (
    <Panel title={row.hold ? 'Impact of release' : 'Next grant'} end={useStaleAge()}>
      <ul className="flex flex-col gap-2.5 px-3.5 py-3">
        <Line icon="arrow-right">
          <NextGrant detail={detail} chosen={chosen} delay={delay} />
        </Line>
        {!isUnknown && row.hold && (
          <HolderLine isKept={isKept} isDead={chosen?.liveness?.state === 'dead'} />
        )}
        {!isUnknown && row.holders <= 1 && (
          <TokenLine row={row} minValidToken={detail.minValidToken} />
        )}
        {!isUnknown && delay && !row.frozen && (
          <Line icon="clock" ink="text-delayed">
            No grants for {delay} afterwards{' '}
            <span className="text-t3">(namespace lock delay).</span>
          </Line>
        )}
      </ul>
    </Panel>
  );
}

/** Who would get the lock, or why no caller would. `delay`: the lock delay before that, or null. */
function NextGrant({ detail, chosen, delay }: Props & { delay: string | null }) {
  const { row, waiters } = detail;
  const isClosed = useIsClosed(row.backend);
  const unknown = unknownLabel(row, useRefusing(row));
  if (unknown) return `State ${unknown}.`;
  if (isClosed) return 'No grant: backend is not granting locks.';
  if (row.frozen) return 'No grant: frozen.';
  const permits = chosen && permitImpact(detail, chosen, delay);
  if (permits) return permits;
  if (row.holders > 1) return 'Other shared holders keep it.';
  const isDelayed = row.status === 'delayed';
  // It may follow a restore as well.
  const pause = detail.policy.lockDelayMs > 0 ? 'lock delay' : 'pause';
  const next = waiters[0];
  if (next) {
    const served = servedTogether(waiters, permitsLeft(row, chosen)).length;
    return (
      <>
        {next.setSize ? 'Offered to ' : 'Granted to '}
        <ExactName name={next.owner} className="max-w-[calc(100%-1ch)]! text-12" />
        {othersText(served - 1)}
        {next.setSize && `, which takes it once all ${next.setSize} of its locks are free`}
        {isDelayed && ` after the ${pause}`}
        {delay && ` after ${delay}`}.{' '}
        <span className="text-t3">{stillWaiting(waiters.length - served)}</span>
      </>
    );
  }
  if (isDelayed) return `Granted to the next caller after the ${pause}.`;
  if (row.hold) return `Becomes free${delay ? ` after ${delay}` : ''}, no waiters.`;
  return 'Available immediately.';
}

/** What the holder would notice. `isKept`: it has released the lock, which stays held for now. */
function HolderLine({ isKept, isDead }: { isKept: boolean; isDead: boolean }) {
  if (isKept) {
    return (
      <Line icon="check">
        Its holder has released it.{' '}
        <span className="text-t3">
          It stays held for the minimum time that it was acquired for.
        </span>
      </Line>
    );
  }
  if (isDead) {
    return (
      <Line icon="unplug">
        Nothing is interrupted: its process is dead.{' '}
        <span className="text-t3">
          Writes that it sent before are rejected only by resources that check the fencing token.
        </span>
      </Line>
    );
  }
  return (
    <Line icon="alert-triangle" ink="text-contended">
      The holder is not stopped. It finds out at its next renewal.{' '}
      <span className="text-t3">
        Its writes are rejected only by resources that check the fencing token.
      </span>
    </Line>
  );
}

/** The token below which writes would be rejected; nothing for a lock that was never granted. */
function TokenLine({ row, minValidToken }: Pick<LockDetail, 'row' | 'minValidToken'>) {
  if (!row.hold && minValidToken === 0) return null;
  const isRevoked = row.hold !== null && !isReleased(row.hold);
  const lowestValid = row.hold ? row.hold.token + 1 : minValidToken;
  return (
    <Line icon="key">
      {isRevoked && 'Token invalidated immediately: '}
      <span className="text-t3">
        {isRevoked
          ? 'resources that check it reject tokens below '
          : 'Resources that check tokens reject those below '}
        <span className="font-mono text-12 whitespace-nowrap" title={String(lowestValid)}>
          {shortToken(lowestValid)}
        </span>
        .
      </span>
    </Line>
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

'use client';

import type { ReactNode } from 'react';
import type { LockDetail } from '@/server/contract/console/lock-row';
import { boundText } from '../../format/bound-text';
import { plural } from '../../format/counts';
import { shortToken } from '../../format/tokens';
import { Icon } from '../../icons/icon';
import type { IconName } from '../../icons/icon-shapes';
import { useIsClosed } from '../../shell/use-guarantees';
import { ExactName } from '../../ui/exact-name';
import { Panel } from '../../ui/panel';

/** What would happen if the lock were taken from its holder now. */
export function ReleaseImpact({ detail }: { detail: LockDetail }) {
  const { row, waiters, minValidToken, policy } = detail;
  const next = waiters[0];
  const isClosed = useIsClosed(row.backend);
  return (
    <Panel title={row.hold ? 'If it is released' : 'What comes next'}>
      <ul className="flex flex-col gap-2.5 px-3.5 py-3">
        <Line icon="arrow-right">
          {row.status === 'unknown' ? (
            'Not known while its backend is silent.'
          ) : isClosed ? (
            'Nobody gets it: its backend grants nothing at the moment.'
          ) : row.frozen ? (
            'Nobody gets it: the lock is frozen.'
          ) : row.holders > 1 ? (
            'The others who share it keep it.'
          ) : row.status === 'delayed' ? (
            <>
              {next ? (
                <>
                  <ExactName name={next.owner} className="text-12" /> is the first to get it,
                </>
              ) : (
                'The first to ask gets it,'
              )}{' '}
              <span className="text-t3">once the lock-delay of its namespace is over.</span>
            </>
          ) : next ? (
            <>
              <ExactName name={next.owner} className="text-12" />{' '}
              {next.setSize
                ? `is offered it, and takes it once all ${next.setSize} locks that it wants are free.`
                : 'gets it.'}{' '}
              <span className="text-t3">
                {waiters.length > 1
                  ? `${plural(waiters.length - 1, 'waits', 'wait')} on.`
                  : 'Nobody else waits.'}
              </span>
            </>
          ) : row.hold ? (
            'Nobody waits: it becomes free.'
          ) : (
            'The next to ask gets it at once.'
          )}
        </Line>
        {row.hold && (
          <Line icon="alert-triangle" ink="text-contended">
            The holder is not stopped. It learns at its next renewal;{' '}
            <span className="text-t3">writes are refused only where the token is checked.</span>
          </Line>
        )}
        {row.holders <= 1 && (row.hold || minValidToken > 0) && (
          <Line icon="key">
            {row.hold ? 'Its token is invalid at once: ' : 'Tokens below the next are invalid: '}
            <span className="text-t3">
              resources that check take nothing below{' '}
              <span className="font-mono text-12" title={String(minValidToken)}>
                {shortToken(row.hold ? row.hold.token + 1 : minValidToken)}
              </span>
              .
            </span>
          </Line>
        )}
        {row.hold && row.holders <= 1 && !row.frozen && (
          <Line icon="clock" ink={policy.lockDelayMs > 0 ? 'text-delayed' : 'text-t2'}>
            {policy.lockDelayMs > 0 ? (
              <>
                Nobody is granted for {boundText(policy.lockDelayMs)} after it:{' '}
                <span className="text-t3">the lock-delay of its namespace.</span>
              </>
            ) : (
              <span className="text-t2">No lock-delay in this namespace.</span>
            )}
          </Line>
        )}
        {row.hold && (
          <Line icon="audit">
            <span className="text-t2">
              Who did it and why stands in the audit log before it happens.
            </span>
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

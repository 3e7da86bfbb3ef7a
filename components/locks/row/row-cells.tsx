'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { countText, exactCount } from '../../format/counts';
import { shortToken } from '../../format/tokens';
import { visibleText } from '../../format/visible-name';
import { useAtBackend } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { ExactName } from '../../ui/exact-name';
import { GridCell } from '../../ui/grid-cell';
import { Instant } from '../../ui/instant';
import { shownGrant } from '../lock-facts';
import { displayedMs } from './displayed-ms';
import { HeldCell } from './held-cell';

const Empty = () => <span className="text-t3">–</span>;

/** Owner, process, version, held time and grant time of the grant that the row shows. */
export function HolderCells({ row }: { row: LockRow }) {
  const tenure = shownGrant(row);
  const meta = row.hold?.meta;
  const process = visibleText(
    [meta?.host, meta?.pid && `pid ${meta.pid}`].filter(Boolean).join(' · '),
  );
  const version = meta?.version && visibleText(meta.version);
  const about = [process, version && `version ${version}`].filter(Boolean).join(' · ');
  return (
    <>
      <GridCell name="owner" className="text-12 text-t2">
        {tenure ? (
          <span
            className="flex min-w-0"
            title={`${visibleText(tenure.owner)}, service ${tenure.service}${about && `, ${about}`}`}
          >
            <ExactName name={tenure.owner} />
            {row.holders > 1 && (
              <span className="shrink-0 pl-1.5 text-t3">+{exactCount(row.holders - 1)}</span>
            )}
          </span>
        ) : (
          <span className="text-t3" title="Unheld">
            –
          </span>
        )}
      </GridCell>
      <GridCell name="process" className="truncate text-12 text-t3" title={process}>
        {process || <Empty />}
      </GridCell>
      <GridCell name="version" className="truncate text-12 text-t3">
        {version || <Empty />}
      </GridCell>
      <HeldCell row={row} />
      <GridCell name="granted" className="pl-2 text-12 text-t2">
        {tenure ? <GrantedAt at={tenure.grantedAt} row={row} /> : <Empty />}
      </GridCell>
      <GridCell name="waited" className="pr-3.5 text-12 text-t2">
        {row.hold ? <Waited ms={row.hold.waitedMs} /> : <Empty />}
      </GridCell>
    </>
  );
}

function Waited({ ms }: { ms: number }) {
  return ms === 0 ? <span className="text-t3">0</span> : <Duration ms={ms} />;
}

function GrantedAt({ at, row }: { at: number; row: LockRow }) {
  return <Instant at={at} now={row.readAt} clock={row.backend} />;
}

/** How many wait, and how long the first of them has. */
export function OldestWait({ row }: { row: LockRow }) {
  const since = row.oldestWaitAt;
  const waitedMs = useAtBackend(row.backend, (now) =>
    since === null ? 0 : displayedMs(now - since),
  );
  if (row.status === 'unknown') {
    return (
      <span className="text-12 text-t3" title={row.unreadable && visibleText(row.unreadable)}>
        {row.unreadable === undefined ? 'unknown' : 'unreadable'}
      </span>
    );
  }
  if (row.waiters === 0) return <span className="w-[22px] text-right text-t3">0</span>;
  return (
    <>
      <span
        className="min-w-[22px] text-right font-[550] text-contended"
        title={`${exactCount(row.waiters)} waiting`}
      >
        {countText(row.waiters)}
      </span>
      <span className="pl-2 text-t2" title="Oldest waiter">
        <Duration ms={waitedMs} />
      </span>
    </>
  );
}

export function Renewals({ row }: { row: LockRow }) {
  if (!row.hold) return <Empty />;
  const { renewals } = row.hold;
  return (
    <span className={renewals === 0 ? 'text-t3' : ''} title={exactCount(renewals)}>
      {countText(renewals)}
    </span>
  );
}

export function Token({ row }: { row: LockRow }) {
  const tenure = shownGrant(row);
  if (!tenure) return <Empty />;
  return (
    <span className="font-mono text-12 text-t3" title={`Token ${tenure.token}`}>
      {shortToken(tenure.token)}
    </span>
  );
}

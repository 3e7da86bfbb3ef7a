'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { baselineText, durationText, factorText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { minuteOf } from '@/server/core/statistics/minute-rollup';
import { totalBlockingMs } from '@/server/core/status/blocking-time';
import { displayedMs } from '../../format/durations';
import { countText, shortToken } from '../../format/numbers';
import { useAtBackend, useIsStale } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { GridCell } from '../../ui/grid-cell';
import { Instant } from '../../ui/instant';
import { ExactName } from '../../ui/visible-text';
import { hasStandbysOnly, heldMsOf, presentHold, shownGrant } from '../lock-facts';
import { RangeBar } from './range-bar';

const Empty = () => <span className="text-t3">–</span>;

/** Owner, process, version, held time and grant time of the grant that the row shows. */
export function HolderCells({ row, isTiered }: { row: LockRow; isTiered: boolean }) {
  const grant = shownGrant(row);
  const hold = presentHold(row);
  const meta = hold?.meta;
  const process = visibleText(
    [meta?.host, meta?.pid && `pid ${meta.pid}`].filter(Boolean).join(' · '),
  );
  const version = meta?.version && visibleText(meta.version);
  const about = [process, version && `version ${version}`].filter(Boolean).join(' · ');
  return (
    <>
      <GridCell name="owner" className="text-12 text-t2">
        {grant ? (
          <span
            className="flex min-w-0"
            title={`${visibleText(grant.owner)}, service ${grant.service}${about && `, ${about}`}`}
          >
            <ExactName name={grant.owner} />
            {row.holders > 1 && (
              <span className="shrink-0 pl-1.5 text-t3">+{exactCount(row.holders - 1)}</span>
            )}
          </span>
        ) : (
          <span className="text-t3" title={row.status === 'unknown' ? 'Unknown' : 'Unheld'}>
            –
          </span>
        )}
        {isTiered && process && <span className="row-second">{process}</span>}
      </GridCell>
      {isTiered && (
        <GridCell name="blocking">
          <Blocking row={row} />
        </GridCell>
      )}
      <GridCell name="process" className="truncate text-12 text-t3" title={process}>
        {process || <Empty />}
      </GridCell>
      <GridCell name="version" className="truncate text-12 text-t3">
        {version || <Empty />}
      </GridCell>
      <HeldCell row={row} />
      <GridCell name="granted" className="pl-2 text-12 text-t2">
        {grant ? <GrantedAt at={grant.grantedAt} row={row} /> : <Empty />}
      </GridCell>
      <GridCell name="waited" className="pr-3.5 text-12 text-t2">
        {hold ? <Waited ms={hold.waitedMs} /> : <Empty />}
      </GridCell>
    </>
  );
}

/** The total blocking time of the lock. */
function Blocking({ row }: { row: LockRow }) {
  const { blocked, status } = row;
  const ms = useAtBackend(row, (now) => (blocked ? displayedMs(totalBlockingMs(blocked, now)) : 0));
  if (status === 'unknown') return <span className="text-t3">?</span>;
  if (ms === 0) return <span className="text-t3">0</span>;
  return (
    <span className="font-[600]">
      <Duration ms={ms} />
    </span>
  );
}

function Waited({ ms }: { ms: number }) {
  return ms === 0 ? <span className="text-t3">0</span> : <Duration ms={ms} />;
}

function GrantedAt({ at, row }: { at: number; row: LockRow }) {
  const now = useAtBackend(row, (at) => minuteOf({ at }));
  return <Instant at={at} now={now} clock={row.backend} />;
}

/** How many wait, and how long the first of them has waited. */
export function OldestWait({ row }: { row: LockRow }) {
  const since = row.oldestWaitAt;
  const waitedMs = useAtBackend(row, (now) => (since === null ? 0 : displayedMs(now - since)));
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
        className={`min-w-[22px] text-right font-[550] ${hasStandbysOnly(row) ? 'text-t2' : 'text-contended'}`}
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

/** For a hold of the past this may be a lower bound: only its latest renewals are counted. */
export function Renewals({ row }: { row: LockRow }) {
  const hold = presentHold(row);
  if (!hold) return <Empty />;
  const { renewals, areRenewalsPartial } = hold;
  const title = areRenewalsPartial ? `At least ${exactCount(renewals)}` : exactCount(renewals);
  return (
    <span className={renewals === 0 ? 'text-t3' : ''} title={title}>
      {areRenewalsPartial && <span className="text-t3">≥{'\u00a0'}</span>}
      {countText(renewals)}
    </span>
  );
}

export function Token({ row }: { row: LockRow }) {
  const grant = shownGrant(row);
  if (!grant) return <Empty />;
  return (
    <span className="font-mono text-12 text-t3" title={`Token ${grant.token}`}>
      {shortToken(grant.token)}
    </span>
  );
}

/** How long the lock has been held, or was, beside its typical hold time. */
function HeldCell({ row }: { row: LockRow }) {
  const title = useAtBackend(row, (now, _, lastAnswerAt) =>
    typicalHoldTitle(row, heldMsOf(row, now, lastAnswerAt)),
  );
  return (
    <GridCell name="held" {...(title !== null && { title })}>
      <HeldFor row={row} />
      <RangeBar row={row} />
      <P99Hold row={row} />
    </GridCell>
  );
}

/** A lower bound while the backend does not respond. Bold beyond the lock's own p99. */
function HeldFor({ row }: { row: LockRow }) {
  const isStale = useIsStale();
  const heldMs = useAtBackend(row, (now, _, lastAnswerAt) => {
    const ms = heldMsOf(row, now, lastAnswerAt);
    return ms === null ? null : displayedMs(ms);
  });
  if (heldMs === null) return <span className="held-for text-t3">–</span>;
  const isOpen = row.hold !== null && row.status !== 'expired';
  const isBeyond = row.ownHold !== null && heldMs > row.ownHold.p99Ms;
  return (
    <span className={`held-for ${isBeyond ? 'font-[600]' : ''}`}>
      <Duration ms={heldMs} atLeast={row.status === 'unknown' || (isStale && isOpen)} />
    </span>
  );
}

/** For a new lock: the typical hold time of its namespace, marked as such. */
function P99Hold({ row: { ownHold, namespaceHold } }: { row: LockRow }) {
  const usual = ownHold ?? namespaceHold;
  return (
    <span className="own-p99">
      {usual && (
        <>
          <span className="sr-only">
            {ownHold ? ', p99 hold ' : ', p99 hold of its namespace '}
          </span>
          {!ownHold && <span aria-hidden="true">~</span>}
          {baselineText(usual.p99Ms)}
        </>
      )}
    </span>
  );
}

/** Tooltip: the typical hold time of this lock. */
function typicalHoldTitle(
  { ownHold, namespaceHold, namespace, hold }: LockRow,
  heldMs: number | null,
): string | null {
  if (!ownHold) {
    if (!hold) return null;
    const few = 'Not enough history (< 20 holds)';
    if (!namespaceHold) return few;
    const { p50Ms, p99Ms } = namespaceHold;
    const rule = `${durationText(p50Ms)} (p50), ${durationText(p99Ms)} (p99)`;
    return `${few}; locks of ${namespace}: typically ${rule}`;
  }
  const { p50Ms, p99Ms, count } = ownHold;
  const rule =
    `Typical ${durationText(p50Ms)} (p50), ${durationText(p99Ms)} (p99) over ` +
    `${exactCount(count)} holds`;
  return hold && heldMs !== null && heldMs > p99Ms
    ? `${rule}; now ${factorText(heldMs, p99Ms)} p99`
    : rule;
}

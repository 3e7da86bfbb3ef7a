'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import type { Remark } from '@/server/contract/primitives';
import { agoText, boundText, pastDuration, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { isReleased } from '@/server/core/lock/lock-record';
import { useAtBackend, useIsStale } from '../../../live/reading';
import { Fact, Facts } from '../../../ui/facts/facts';
import { Instant } from '../../../ui/instant';
import { VisibleText, WholeName } from '../../../ui/visible-text';
import { knownUntil, renewalDueAt } from '../../lock-facts';
import { renewalDueLabel } from '../../lock-labels';
import { Countdown, LeaseBar } from '../../row/lease-left';
import { LivenessNote } from '../liveness-note';
import { TraceFacts } from './trace-facts';

interface FactsProps {
  row: LockRow;
  hold: HoldRow;
}

/** What is known of a hold: who has it and where, since when, and how its lease goes on. */
export function HoldFacts({ row, hold }: FactsProps) {
  const now = useAtBackend(row, (at) => wholeSeconds(at));
  return (
    <Facts>
      <HolderFacts row={row} hold={hold} />
      <HeldSinceFact row={row} hold={hold} now={now} />
      <TraceFacts hold={hold} />
      {hold.askedToRelease && (
        <RemarkFact label="Asked to release" remark={hold.askedToRelease} now={now} />
      )}
      {hold.renewalsStopped && (
        <RemarkFact label="Renewals blocked" remark={hold.renewalsStopped} now={now} />
      )}
      <KeptFact hold={hold} now={now} backend={row.backend} />
      <PermitsFact row={row} hold={hold} />
      {hold.holdCount > 1 && <Fact label="Re-entered">×{exactCount(hold.holdCount)}</Fact>}
      <LeaseFact row={row} hold={hold} />
      {!isReleased(hold) && <RenewalFact row={row} hold={hold} now={now} />}
    </Facts>
  );
}

function HolderFacts({ row, hold }: FactsProps) {
  const { host, pid, version, bootId: _, pidNamespace: __, pidStart: ___, ...others } = hold.meta;
  return (
    <>
      <Fact label="Owner">
        <WholeName name={hold.owner} />
      </Fact>
      <Fact label="Service">
        <span className="parts">
          <span className="font-mono">{hold.service}</span>
          {version && (
            <Muted>
              <VisibleText text={version} />
            </Muted>
          )}
        </span>
      </Fact>
      <Fact label="Process">
        {host || pid ? (
          <span className="font-mono">
            {host && <VisibleText text={host} />}
            {pid && (
              <>
                <Muted> pid </Muted>
                <VisibleText text={pid} />
              </>
            )}
          </span>
        ) : (
          <Muted>not reported</Muted>
        )}
      </Fact>
      {hold.liveness && row.status !== 'unknown' && (
        <Fact label="Liveness">
          <LivenessNote verdict={hold.liveness} of={row} />
        </Fact>
      )}
      {Object.entries(others).map(([key, value]) => (
        <Fact key={key} label={<VisibleText text={key} />}>
          <span className="font-mono text-12 [overflow-wrap:anywhere]">
            <VisibleText text={value} />
          </span>
        </Fact>
      ))}
      {hold.alsoHolds !== undefined && hold.alsoHolds > 0 && (
        <Fact label="Also holds">
          <Link
            href={`/holders?q=${encodeURIComponent(hold.owner)}`}
            prefetch={false}
            className="link rounded-4"
          >
            {plural(hold.alsoHolds, 'other lock')}
          </Link>
        </Fact>
      )}
    </>
  );
}

function HeldSinceFact({ row, hold, now }: FactsProps & { now: number }) {
  const isUnknown = row.status === 'unknown';
  const heldMs = useAtBackend(row, (at, _, lastAnswerAt) =>
    wholeSeconds((isUnknown ? knownUntil({ ...row, hold }, lastAnswerAt) : at) - hold.grantedAt),
  );
  return (
    <Fact label="Held since">
      <Instant at={hold.grantedAt} now={now} clock={row.backend} />
      <Muted>
        {' · '}
        {isUnknown ? `at least ${pastDuration(heldMs)}` : agoText(heldMs)}
        {hold.waitedMs > 0 && `, after waiting ${pastDuration(hold.waitedMs)}`}
      </Muted>
    </Fact>
  );
}

function PermitsFact({ row: { permits }, hold }: FactsProps) {
  if (hold.permits === undefined || !permits) return null;
  return (
    <Fact label="Permits">
      {exactCount(hold.permits)}
      <Muted>
        {' '}
        of {exactCount(permits.capacity)}
        {permits.named !== undefined &&
          `, set by an operator; callers pass ${exactCount(permits.named)}`}
      </Muted>
    </Fact>
  );
}

function LeaseFact({ row, hold }: FactsProps) {
  const isOver = isReleased(hold);
  return (
    <Fact label={isOver ? 'Frees in' : 'Lease'}>
      <span className="flex flex-wrap items-center gap-2.5">
        {row.status === 'unknown' ? (
          <>
            <LeaseBar share={0} look="unknown" className="lease-wide" />
            <Muted>unknown</Muted>
          </>
        ) : (
          <Countdown
            keeper={row}
            until={hold.expiresAt}
            wholeMs={isOver ? hold.expiresAt - hold.grantedAt : hold.leaseMs}
            className="lease-wide"
            isAlarming={row.status === 'expiring'}
          />
        )}
        {!isOver && <Muted>of {boundText(hold.leaseMs)}</Muted>}
      </span>
    </Fact>
  );
}

function RenewalFact({ row, hold, now }: FactsProps & { now: number }) {
  const isStale = useIsStale();
  const dueAt = renewalDueAt(hold);
  const isOverdue = useAtBackend(row, (_, __, readAt) => dueAt !== null && readAt > dueAt);
  const dueMs = dueAt === null ? null : isOverdue ? dueAt - now : Math.max(0, dueAt - now);
  return (
    <Fact label="Next renewal">
      {row.status === 'unknown' || isStale ? (
        <Muted>unknown · {exactCount(hold.renewals)} at last update</Muted>
      ) : dueMs === null ? (
        <Muted>none yet</Muted>
      ) : (
        <>
          {renewalDueLabel(dueMs)}
          <Muted>
            {' · '}
            {hold.areRenewalsPartial && 'at least '}
            {exactCount(hold.renewals)} so far
          </Muted>
        </>
      )}
    </Fact>
  );
}

/** The minimum hold time of a lock: when it ends, and whether the lock was released before. */
function KeptFact({ hold, now, backend }: { hold: HoldRow; now: number; backend: string }) {
  const { keptUntil, releasedAt } = hold;
  if (keptUntil === undefined || (releasedAt === undefined && keptUntil <= now)) return null;
  const until = <Instant at={keptUntil} now={now} clock={backend} />;
  if (releasedAt === undefined) return <Fact label="At least until">{until}</Fact>;
  return (
    <Fact label="Released">
      <Instant at={releasedAt} now={now} clock={backend} />
      <Muted>, held until {until}</Muted>
    </Fact>
  );
}

const Muted = ({ children }: { children: ReactNode }) => (
  <span className="text-t3">{children}</span>
);

function RemarkFact({ label, remark, now }: { label: string; remark: Remark; now: number }) {
  return (
    <Fact label={label}>
      by <VisibleText text={remark.by} />{' '}
      <Muted>
        {agoText(Math.max(0, now - remark.at))}: “<VisibleText text={remark.reason} />”
      </Muted>
    </Fact>
  );
}

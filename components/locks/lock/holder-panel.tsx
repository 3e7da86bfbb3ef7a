'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import type { Remark } from '@/server/contract/primitives';
import { agoText, boundText, pastDuration, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { isReleased } from '@/server/core/lock/lock-record';
import { Icon } from '../../icons/icon';
import { useAtBackend, useIsStale } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { Instant } from '../../ui/instant';
import { Panel } from '../../ui/panel';
import { ExactName, VisibleText } from '../../ui/visible-text';
import { isRenewing, knownUntil, renewalDueAt } from '../lock-facts';
import { ENDED_LABELS, renewalDueLabel, unknownLabel } from '../lock-labels';
import { Countdown, LeaseBar } from '../row/lease-left';
import { LivenessNote } from './liveness-note';
import { TraceFacts } from './trace-facts';

/** The holder, its process, and whether that process still renews. */
export function HolderPanel({
  detail: { row, holds },
  chosen,
  onChoose,
}: {
  detail: LockDetail;
  /** If several share the lock: the hold that is shown, and that the actions apply to. */
  chosen: HoldRow | null;
  onChoose: (token: number) => void;
}) {
  if (!chosen) return <NoHolder row={row} />;
  return (
    <Panel
      title={holds.length > 1 ? 'Holders' : 'Holder'}
      aside={holdersLabel(row, holds)}
      end={<RenewalStatus row={row} hold={chosen} />}
    >
      {holds.length > 1 && <HolderChoice holds={holds} chosen={chosen} onChoose={onChoose} />}
      <HoldFacts row={row} hold={chosen}>
        <TraceFacts hold={chosen} />
      </HoldFacts>
    </Panel>
  );
}

function holdersLabel({ permits }: LockRow, holds: HoldRow[]): string | undefined {
  if (permits && holds[0]?.permits !== undefined) {
    return `${exactCount(permits.inUse)} of ${plural(permits.capacity, 'permit')}`;
  }
  return holds.length > 1 ? `${exactCount(holds.length)} shared holders` : undefined;
}

function HolderChoice({
  holds,
  chosen,
  onChoose,
}: {
  holds: HoldRow[];
  chosen: HoldRow;
  onChoose: (token: number) => void;
}) {
  return (
    <fieldset className="holder-choice">
      <legend className="sr-only">Holder to show and act on</legend>
      {holds.map(({ token, owner, permits }) => (
        <label key={token} className="choice min-w-0">
          <input
            type="radio"
            name="holder"
            className="sr-only"
            checked={token === chosen.token}
            onChange={() => onChoose(token)}
          />
          <ExactName name={owner} className="text-12" />
          {permits !== undefined && (
            <span className="shrink-0 pl-1.5 text-12" title={plural(permits, 'permit')}>
              ×{exactCount(permits)}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  );
}

function NoHolder({ row }: { row: LockRow }) {
  const now = useAtBackend(row.backend, (at) => wholeSeconds(at));
  const { ended } = row;
  const unknown = unknownLabel(row);
  return (
    <Panel title="Holder">
      <p className="px-3.5 pt-3 text-t2">{unknown ? `Holder ${unknown}.` : 'Not held.'}</p>
      {ended && (
        <div className="px-3.5 pt-1.5 pb-4 text-t3">
          Last holder: <ExactName name={ended.owner} className="text-t2" />
          <p className="first-letter:uppercase">
            {ENDED_LABELS[ended.cause]} <Instant at={ended.at} now={now} clock={row.backend} />,
            held <Duration ms={ended.at - ended.grantedAt} />.
          </p>
        </div>
      )}
    </Panel>
  );
}

function RenewalStatus({ row, hold }: { row: LockRow; hold: HoldRow }) {
  const isStale = useIsStale();
  const agoMs = useAtBackend(row.backend, (now) => wholeSeconds(now - hold.renewedAt));
  const isOnTime = useAtBackend(row.backend, (_, __, readAt) => isRenewing(hold, readAt));
  if (isStale || row.status === 'unknown') return <>unknown</>;
  if (isReleased(hold)) return <>released</>;
  if (hold.renewals === 0) return <>not renewed yet</>;
  return (
    <span className={`flex items-center gap-1.5 ${isOnTime ? 'text-acc' : 'text-expiring'}`}>
      <Icon name={isOnTime ? 'refresh' : 'hourglass'} size={14} />
      {isOnTime ? 'renewed' : 'overdue, renewed'} {agoText(agoMs)}
    </span>
  );
}

type FactsProps = { row: LockRow; hold: HoldRow; children: ReactNode };

function HoldFacts({ row, hold, children }: FactsProps) {
  const now = useAtBackend(row.backend, (at) => wholeSeconds(at));
  const heldMs = useAtBackend(row.backend, (at, _, lastAnswerAt) =>
    wholeSeconds(
      (row.status === 'unknown' ? knownUntil({ ...row, hold }, lastAnswerAt) : at) - hold.grantedAt,
    ),
  );
  const isStale = useIsStale();
  const dueAt = renewalDueAt(hold);
  const isOverdue = useAtBackend(row.backend, (_, __, readAt) => dueAt !== null && readAt > dueAt);
  const dueMs = dueAt === null ? null : isOverdue ? dueAt - now : Math.max(0, dueAt - now);
  const { host, pid, version, bootId: _, pidNamespace: __, pidStart: ___, ...others } = hold.meta;
  const isUnknown = row.status === 'unknown';
  return (
    <dl className="plain-facts">
      <Fact word="Owner">
        <ExactName name={hold.owner} />
      </Fact>
      <Fact word="Service">
        <span className="font-mono">{hold.service}</span>
        {version && (
          <Muted>
            {' '}
            · <VisibleText text={version} />
          </Muted>
        )}
      </Fact>
      <Fact word="Process">
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
      {hold.liveness && !isUnknown && (
        <Fact word="Liveness">
          <LivenessNote verdict={hold.liveness} backend={row.backend} />
        </Fact>
      )}
      {Object.entries(others).map(([key, value]) => (
        <Fact key={key} word={<VisibleText text={key} />}>
          <span className="font-mono text-12 [overflow-wrap:anywhere]">
            <VisibleText text={value} />
          </span>
        </Fact>
      ))}
      {hold.alsoHolds !== undefined && hold.alsoHolds > 0 && (
        <Fact word="Also holds">
          <Link
            href={`/holders?q=${encodeURIComponent(hold.owner)}`}
            prefetch={false}
            className="link rounded-4"
          >
            {plural(hold.alsoHolds, 'other lock')}
          </Link>
        </Fact>
      )}
      <Fact word="Held since">
        <Instant at={hold.grantedAt} now={now} clock={row.backend} />
        <Muted>
          {' · '}
          {isUnknown ? `at least ${pastDuration(heldMs)}` : agoText(heldMs)}
          {hold.waitedMs > 0 && `, after waiting ${pastDuration(hold.waitedMs)}`}
        </Muted>
      </Fact>
      {children}
      {hold.askedToRelease && (
        <RemarkFact word="Release requested" remark={hold.askedToRelease} now={now} />
      )}
      {hold.renewalsStopped && (
        <RemarkFact word="Renewals blocked" remark={hold.renewalsStopped} now={now} />
      )}
      <KeptFact hold={hold} now={now} backend={row.backend} />
      {hold.permits !== undefined && row.permits && (
        <Fact word="Permits">
          {exactCount(hold.permits)}
          <Muted>
            {' '}
            of {exactCount(row.permits.capacity)}
            {row.permits.named !== undefined &&
              `, set by an operator; callers pass ${exactCount(row.permits.named)}`}
          </Muted>
        </Fact>
      )}
      {hold.holdCount > 1 && <Fact word="Re-entered">×{exactCount(hold.holdCount)}</Fact>}
      <Fact word={isReleased(hold) ? 'Frees in' : 'Lease'}>
        <span className="flex flex-wrap items-center gap-2.5">
          {isUnknown ? (
            <>
              <LeaseBar share={0} look="unknown" className="lease-wide" />
              <Muted>unknown</Muted>
            </>
          ) : (
            <Countdown
              backend={row.backend}
              until={hold.expiresAt}
              wholeMs={isReleased(hold) ? hold.expiresAt - hold.grantedAt : hold.leaseMs}
              className="lease-wide"
              isAlarming={row.status === 'expiring'}
            />
          )}
          {!isReleased(hold) && <Muted>of {boundText(hold.leaseMs)}</Muted>}
        </span>
      </Fact>
      {!isReleased(hold) && (
        <Fact word="Next renewal">
          {isUnknown || isStale ? (
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
      )}
    </dl>
  );
}

/** The minimum hold time of a lock: when it ends, and whether the lock was released before. */
function KeptFact({ hold, now, backend }: { hold: HoldRow; now: number; backend: string }) {
  const { keptUntil, releasedAt } = hold;
  if (keptUntil === undefined || (releasedAt === undefined && keptUntil <= now)) return null;
  const until = <Instant at={keptUntil} now={now} clock={backend} />;
  if (releasedAt === undefined) return <Fact word="At least until">{until}</Fact>;
  return (
    <Fact word="Released">
      <Instant at={releasedAt} now={now} clock={backend} />
      <Muted>, held until {until}</Muted>
    </Fact>
  );
}

const Muted = ({ children }: { children: ReactNode }) => (
  <span className="text-t3">{children}</span>
);

function RemarkFact({ word, remark, now }: { word: string; remark: Remark; now: number }) {
  return (
    <Fact word={word}>
      by <VisibleText text={remark.by} />{' '}
      <Muted>
        {agoText(Math.max(0, now - remark.at))}: “<VisibleText text={remark.reason} />”
      </Muted>
    </Fact>
  );
}

function Fact({ word, children }: { word: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{word}</dt>
      <dd>{children}</dd>
    </div>
  );
}

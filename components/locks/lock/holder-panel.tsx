'use client';

import type { ReactNode } from 'react';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import type { Remark } from '@/server/core/lock/lock-record';
import { exactCount } from '../../format/counts';
import { agoWords, spokenDuration } from '../../format/durations';
import { Icon } from '../../icons/icon';
import { useAtBackend, useIsStale } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { ExactName } from '../../ui/exact-name';
import { Instant } from '../../ui/instant';
import { Panel } from '../../ui/panel';
import { VisibleText } from '../../ui/visible-text';
import { knownUntil } from '../held-time';
import { renewalDueAt, stillRenews } from '../lock-facts';
import { Countdown, LeaseBar } from '../row/lease-left';

/** The holder, its process, and whether that process still renews. */
export function HolderPanel({
  detail: { row, holds },
  chosen,
  onChoose,
}: {
  detail: LockDetail;
  /** Where several share the lock: the one that is looked at, and that the acts are about. */
  chosen: HoldRow | null;
  onChoose: (token: number) => void;
}) {
  if (!chosen) return <NoHolder row={row} />;
  return (
    <Panel
      title={holds.length > 1 ? 'Holders' : 'Holder'}
      aside={holds.length > 1 ? `${exactCount(holds.length)} share it` : undefined}
      end={<SignOfLife row={row} hold={chosen} />}
    >
      {holds.length > 1 && <Choice holds={holds} chosen={chosen} onChoose={onChoose} />}
      <Facts row={row} hold={chosen} />
    </Panel>
  );
}

function Choice({
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
      <legend className="sr-only">Which holder is shown, and acted on</legend>
      {holds.map(({ token, owner }) => (
        <label key={token} className="choice min-w-0">
          <input
            type="radio"
            name="holder"
            className="sr-only"
            checked={token === chosen.token}
            onChange={() => onChoose(token)}
          />
          <ExactName name={owner} className="text-12" />
        </label>
      ))}
    </fieldset>
  );
}

const ENDED = {
  released: 'released it',
  expired: 'let its lease run out',
  forced: 'lost it by force',
  superseded: 'had it before',
} as const;

function NoHolder({ row }: { row: LockRow }) {
  const now = useAtBackend(row.backend, (at) => Math.floor(at / 1_000) * 1_000);
  const { ended } = row;
  return (
    <Panel title="Holder">
      <p className="px-3.5 pt-3 text-t2">Nobody holds this lock.</p>
      {ended && (
        <p className="px-3.5 pt-1.5 pb-4 text-t3">
          <ExactName name={ended.owner} className="text-t2" /> {ENDED[ended.cause]}{' '}
          <Instant at={ended.at} now={now} clock={row.backend} />, after{' '}
          <Duration ms={ended.at - ended.grantedAt} />.
        </p>
      )}
    </Panel>
  );
}

function SignOfLife({ row, hold }: { row: LockRow; hold: HoldRow }) {
  const isStale = useIsStale();
  const agoMs = useAtBackend(
    row.backend,
    (now) => Math.floor((now - hold.renewedAt) / 1_000) * 1_000,
  );
  const isAlive = useAtBackend(row.backend, (now) => stillRenews(hold, now));
  if (isStale || row.status === 'unknown') return <>not known</>;
  if (hold.renewals === 0) return <>never renewed</>;
  return (
    <span className={`flex items-center gap-1.5 ${isAlive ? 'text-acc' : 'text-expiring'}`}>
      <Icon name={isAlive ? 'refresh' : 'hourglass'} size={14} />
      {isAlive ? 'alive, renewed' : 'late, renewed'} {agoWords(agoMs)}
    </span>
  );
}

function Facts({ row, hold }: { row: LockRow; hold: HoldRow }) {
  const now = useAtBackend(row.backend, (at) => Math.floor(at / 1_000) * 1_000);
  const heldMs = useAtBackend(row.backend, (at, _, lastAnswerAt) =>
    secondsOf(
      (row.status === 'unknown' ? knownUntil({ ...row, hold }, lastAnswerAt) : at) - hold.grantedAt,
    ),
  );
  const dueAt = renewalDueAt(hold);
  const dueMs = dueAt === null ? null : dueAt - now;
  const { host, pid, version, ...others } = hold.meta;
  const isUnknown = row.status === 'unknown';
  return (
    <dl className="plain-facts">
      <Fact word="Owner">
        <ExactName name={hold.owner} />
      </Fact>
      <Fact word="Service">
        <span className="font-mono">{hold.service}</span>
        {version && (
          <Quiet>
            {' '}
            · <VisibleText text={version} />
          </Quiet>
        )}
      </Fact>
      <Fact word="Process">
        {host || pid ? (
          <span className="font-mono">
            {host && <VisibleText text={host} />}
            {pid && (
              <>
                <Quiet> pid </Quiet>
                <VisibleText text={pid} />
              </>
            )}
          </span>
        ) : (
          <Quiet>not told</Quiet>
        )}
      </Fact>
      {Object.entries(others).map(([key, value]) => (
        <Fact key={key} word={<VisibleText text={key} />}>
          <span className="font-mono text-12 [overflow-wrap:anywhere]">
            <VisibleText text={value} />
          </span>
        </Fact>
      ))}
      <Fact word="Held since">
        <Instant at={hold.grantedAt} now={now} clock={row.backend} />
        <Quiet>
          {' · '}
          {isUnknown ? `at least ${spokenDuration(heldMs)}` : `${spokenDuration(heldMs)} ago`}
          {hold.waitedMs > 0 && `, waited ${spokenDuration(hold.waitedMs)}`}
        </Quiet>
      </Fact>
      {hold.askedToRelease && <Told word="Asked" remark={hold.askedToRelease} now={now} />}
      {hold.renewalsStopped && <Told word="Stopped" remark={hold.renewalsStopped} now={now} />}
      {hold.holdCount > 1 && <Fact word="Entered">{exactCount(hold.holdCount)} times</Fact>}
      <Fact word="Lease">
        <span className="flex flex-wrap items-center gap-2.5">
          {isUnknown ? (
            <>
              <LeaseBar share={0} look="unknown" className="lease-wide" />
              <Quiet>not known</Quiet>
            </>
          ) : (
            <Countdown
              backend={row.backend}
              until={hold.expiresAt}
              wholeMs={hold.leaseMs}
              className="lease-wide"
              isAlarming={row.status === 'expiring'}
            />
          )}
          <Quiet>of {spokenDuration(hold.leaseMs)}</Quiet>
        </span>
      </Fact>
      <Fact word="Next renewal">
        {isUnknown ? (
          <Quiet>not known · {exactCount(hold.renewals)} when last read</Quiet>
        ) : dueMs === null ? (
          <Quiet>none seen so far</Quiet>
        ) : (
          <>
            {dueMs >= 0 ? `due in ${spokenDuration(dueMs)}` : `${spokenDuration(-dueMs)} late`}
            <Quiet> · {exactCount(hold.renewals)} so far</Quiet>
          </>
        )}
      </Fact>
    </dl>
  );
}

const secondsOf = (ms: number) => Math.floor(ms / 1_000) * 1_000;

const Quiet = ({ children }: { children: ReactNode }) => (
  <span className="text-t3">{children}</span>
);

function Told({ word, remark, now }: { word: string; remark: Remark; now: number }) {
  return (
    <Fact word={word}>
      by <VisibleText text={remark.by} />{' '}
      <Quiet>
        {agoWords(Math.max(0, now - remark.at))}: “<VisibleText text={remark.reason} />”
      </Quiet>
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

'use client';

import type { ReactNode } from 'react';
import type { RecordKeeper } from '@/server/contract/console/backend-health';
import { agoText, factorText, runningDuration, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { shortToken } from '../format/numbers';
import { useAtBackend, useIsStale } from '../live/reading';
import { isRenewing, renewalDueAt } from '../locks/lock-facts';
import { renewalDueLabel } from '../locks/lock-labels';
import { useIsClosed } from '../shell/backend-queries';
import { Duration } from '../ui/duration';
import { Instant } from '../ui/instant';
import { ExactName, UnbrokenNames, VisibleText } from '../ui/visible-text';
import { firstWaiter, grantBlockedBy, type HoldSnapshot, permitsLeftAfter } from './hold-snapshot';

interface Fact {
  label: string;
  /** @param p99Ms of the lock's holds; null while it has too little history */
  of: (side: HoldSnapshot, keeper: RecordKeeper, p99Ms: number | null) => ReactNode;
}

const Muted = ({ children }: { children: ReactNode }) => (
  <span className="text-t3">{children}</span>
);

const FACTS: Fact[] = [
  { label: 'Held by', of: (side) => <HeldBy side={side} /> },
  { label: 'Renewals', of: (side, keeper) => <LastRenewal side={side} keeper={keeper} /> },
  {
    label: 'Held since',
    of: (side, keeper, p99Ms) => <Since side={side} keeper={keeper} p99Ms={p99Ms} />,
  },
  { label: 'Waiting', of: (side, keeper) => <Waiting side={side} keeper={keeper} /> },
  { label: 'Next', of: (side, keeper) => <Next side={side} keeper={keeper} /> },
];

const COMPARED_FACTS: Fact[] = [
  ...FACTS,
  {
    label: 'Token',
    of: ({ hold }) =>
      hold ? <span title={String(hold.token)}>{shortToken(hold.token)}</span> : <Muted>–</Muted>,
  },
];

/** The hold that the action is about, as a list; in two columns when another hold is there now. */
export function HoldFacts({
  seen,
  now,
  keeper,
  p99Ms,
}: {
  seen: HoldSnapshot;
  /** Null while it has not changed. */
  now: HoldSnapshot | null;
  keeper: RecordKeeper;
  p99Ms: number | null;
}) {
  if (!now) {
    return (
      <dl className="facts">
        {FACTS.map(({ label, of }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{of(seen, keeper, p99Ms)}</dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <table className="facts facts-two">
      <thead>
        <tr>
          <td />
          <th scope="col">You saw</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {COMPARED_FACTS.map(({ label, of }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{label === 'Renewals' ? <Muted>ended</Muted> : of(seen, keeper, p99Ms)}</td>
            <td>{of(now, keeper, p99Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HeldBy({ side: { hold } }: { side: HoldSnapshot }) {
  if (!hold) return <Muted>not held</Muted>;
  const { host, pid } = hold.renewal?.meta ?? {};
  return (
    <>
      <ExactName name={hold.owner} className="font-[550]" />
      {host && (
        <>
          {' on '}
          <UnbrokenNames text={visibleText(host)} />
        </>
      )}
      {pid && (
        <>
          {', pid '}
          <VisibleText text={pid} />
        </>
      )}
      <Muted>
        {host || pid ? ', ' : ' '}service {hold.service}
        {hold.set && `, part of a multi-lock of ${hold.set.size}`}
        {hold.permits !== undefined && `, ${plural(hold.permits, 'permit')}`}
      </Muted>
    </>
  );
}

/** Says that the process may be dead only while there is no verdict on its liveness. */
export function LastRenewal({
  side: { hold },
  keeper,
}: {
  side: HoldSnapshot;
  keeper: RecordKeeper;
}) {
  const renewal = hold?.renewal;
  const seconds = useAtBackend(keeper, (now) =>
    renewal ? Math.floor((now - renewal.renewedAt) / 1_000) : 0,
  );
  const releasedSeconds = useAtBackend(keeper, (now) =>
    Math.floor(Math.max(0, now - (hold?.releasedAt ?? now)) / 1_000),
  );
  const isOnTime = useAtBackend(keeper, (now) => renewal !== undefined && isRenewing(renewal, now));
  const dueSeconds = useAtBackend(keeper, (now) => {
    const dueAt = renewal ? renewalDueAt(renewal) : null;
    return dueAt === null ? 0 : Math.round((dueAt - now) / 1_000);
  });
  const isStale = useIsStale();
  if (!hold) return <Muted>–</Muted>;
  if (hold.releasedAt !== undefined) {
    return (
      <>
        <b className="font-[550]">released {agoText(releasedSeconds * 1_000)}</b>
        <Muted>
          {' '}
          · held until <Instant at={hold.expiresAt} now={hold.releasedAt} clock={keeper.backend} />
        </Muted>
      </>
    );
  }
  if (!renewal) return <Muted>loading…</Muted>;
  if (renewal.renewals === 0) return 'none yet';
  const due = renewalDueLabel(dueSeconds * 1_000);
  return (
    <>
      <b className="font-[550]">renewed {agoText(seconds * 1_000)}</b>
      <Muted>
        {' '}
        · {exactCount(renewal.renewals)} {renewal.renewals === 1 ? 'time' : 'times'}
        {isStale ? ' at last update' : `, ${dueSeconds >= 0 ? 'next ' : ''}${due}`}
        {!isStale && !isOnTime && !hold.liveness && ' – the process may be dead'}
      </Muted>
    </>
  );
}

function Since({
  side: { hold },
  keeper,
  p99Ms,
}: {
  side: HoldSnapshot;
  keeper: RecordKeeper;
  p99Ms: number | null;
}) {
  const now = useAtBackend(keeper, (at) => at);
  if (!hold) return <Muted>–</Muted>;
  const heldMs = now - hold.grantedAt;
  return (
    <>
      <Instant at={hold.grantedAt} now={now} clock={keeper.backend} />,{' '}
      <b className="font-[550]">
        <Duration ms={heldMs} />
      </b>{' '}
      ago
      {p99Ms !== null && heldMs > p99Ms && <Muted>, {factorText(heldMs, p99Ms)} p99</Muted>}
    </>
  );
}

function Waiting({ side, keeper }: { side: HoldSnapshot; keeper: RecordKeeper }) {
  const now = useAtBackend(keeper, (at) => wholeSeconds(at));
  if (side.waiters === 0) return <Muted>none</Muted>;
  const first = firstWaiter(side);
  return (
    <>
      <b className="font-[550]">{exactCount(side.waiters)}</b>
      {side.oldestWaitAt !== null && (
        <Muted>
          {' '}
          · oldest {runningDuration(now - side.oldestWaitAt)}
          {first && `, times out in ${runningDuration(first.patienceUntil - now)}`}
        </Muted>
      )}
    </>
  );
}

function Next({ side, keeper }: { side: HoldSnapshot; keeper: RecordKeeper }) {
  const next = firstWaiter(side);
  const blockedBy = grantBlockedBy(side, useIsClosed(keeper.backend));
  if (blockedBy === 'closed') return <Muted>none – {keeper.backend} is not granting locks</Muted>;
  if (blockedBy === 'frozen') return <Muted>none – lock is frozen</Muted>;
  const left = permitsLeftAfter(side);
  if (blockedBy === 'permits' && next)
    return (
      <Muted>
        none – <ExactName name={next.owner} />{' '}
        {next.permits === undefined
          ? 'waits until all permits are released'
          : `waits for ${exactCount(next.permits)}, ${plural(left ?? 0, 'permit')} would be free`}
      </Muted>
    );
  if (blockedBy === 'shared')
    return (
      <Muted>
        none – {plural(side.others, 'other shared holder')} {side.others === 1 ? 'keeps' : 'keep'}{' '}
        it
      </Muted>
    );
  if (side.waiters === 0 && left !== null)
    return <Muted>none – {plural(left, 'permit')} would be free</Muted>;
  if (side.waiters === 0) return <Muted>none – lock becomes free</Muted>;
  if (!next) return <Muted>first in the queue</Muted>;
  return (
    <>
      <ExactName name={next.owner} className="font-[550]" />
      <Muted>
        {' '}
        service {next.service}
        {next.setSize && `, waiting for ${next.setSize} locks`}
        {next.permits !== undefined && `, ${plural(next.permits, 'permit')}`}
      </Muted>
    </>
  );
}

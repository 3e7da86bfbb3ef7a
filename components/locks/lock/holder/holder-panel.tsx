'use client';

import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { agoText, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { isReleased } from '@/server/core/lock/lock-record';
import { Icon } from '../../../icons/icon';
import { useAtBackend, useIsStale, useRefusing } from '../../../live/reading';
import { Choice } from '../../../ui/controls/choices/choice';
import { Duration } from '../../../ui/duration';
import { Instant } from '../../../ui/instant';
import { Panel } from '../../../ui/panel';
import { ExactName } from '../../../ui/visible-text';
import { isRenewing } from '../../lock-facts';
import { ENDED_LABELS, unknownLabel } from '../../lock-labels';
import { HoldFacts } from './hold-facts';

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
      <HoldFacts row={row} hold={chosen} />
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
        <Choice
          key={token}
          name="holder"
          isChosen={token === chosen.token}
          onChoose={() => onChoose(token)}
          className="min-w-0"
        >
          <ExactName name={owner} className="text-12" />
          {permits !== undefined && (
            <span className="shrink-0 pl-1.5 text-12" title={plural(permits, 'permit')}>
              ×{exactCount(permits)}
            </span>
          )}
        </Choice>
      ))}
    </fieldset>
  );
}

function NoHolder({ row }: { row: LockRow }) {
  const now = useAtBackend(row, (at) => wholeSeconds(at));
  const { ended } = row;
  const unknown = unknownLabel(row, useRefusing(row));
  return (
    <Panel title="Holder">
      <p className="px-3.5 py-3 text-t2">{unknown ? `Holder ${unknown}.` : 'Not held.'}</p>
      {ended && (
        <div className="-mt-1.5 px-3.5 pb-4 text-t3">
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
  const agoMs = useAtBackend(row, (now) => wholeSeconds(now - hold.renewedAt));
  const isOnTime = useAtBackend(row, (_, __, readAt) => isRenewing(hold, readAt));
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

import type { ReactNode } from 'react';
import type { PastMark } from '@/server/contract/console/past/past-mark';
import { Icon } from '../icons/icon';
import { NearLink } from '../navigation/near-link';
import { Instant } from '../ui/instant';

/** Why an instant cannot be shown: before the first recorded event, if there is one. */
export type InstantProblem = { why: ReactNode } | { since: number };

/** In place of a page that cannot be shown as of the instant that its address names. */
export function PastProblem({ live, ...problem }: InstantProblem & { live: string }) {
  return (
    <div className="page">
      <div className="card flex items-start gap-2.5 px-3.5 py-4" role="alert">
        <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
        <p className="text-14">
          {'why' in problem ? problem.why : <BeforeAll {...problem} />}{' '}
          <NearLink href={live} className="link rounded-4">
            Back to live
          </NearLink>
        </p>
      </div>
    </div>
  );
}

function BeforeAll({ since }: { since: number }) {
  return (
    <>
      This instant is before the first recorded event, at <Instant at={since} now={Date.now()} />.
    </>
  );
}

/**
 * What a page of the past lacks.
 *
 * @param limits sentences about what every such page lacks; empty if there is nothing
 */
export function PastNote({ past, limits = '' }: { past: PastMark | undefined; limits?: string }) {
  if (!past || !(limits || past.isCut || past.isLagging || past.unread || past.restored))
    return null;
  const { at, restored, unread } = past;
  return (
    <p role="status" className="past-note">
      {restored && (
        <>
          This instant is between a backup (<Instant at={restored.madeAt} now={at} />) and its
          restore (<Instant at={restored.restoredAt} now={at} />
          ): what happened in that time is not recorded, and holds of the backup are shown as if
          they had lasted.{' '}
        </>
      )}
      {past.isCut && 'There were too many locks at this instant: some are left out. '}
      {past.isLagging && 'The latest changes are not recorded yet; reload in a few seconds. '}
      {unread && `Not read since then: ${unread.join(', ')}. Changes there may be missing. `}
      {limits}
    </p>
  );
}

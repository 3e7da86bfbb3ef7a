import type { PastMark } from '@/server/contract/console/past/past-mark';
import { Icon } from '../icons/icon';
import { NearLink } from '../navigation/near-link';
import { Instant } from '../ui/instant';

/** In place of a page that cannot be shown as of the instant that its address names. */
export function PastProblem({ text, live }: { text: string; live: string }) {
  return (
    <div className="page">
      <div className="card flex items-start gap-2.5 px-3.5 py-4" role="alert">
        <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
        <p className="text-14">
          <WithInstant text={text} />{' '}
          <NearLink href={live} className="link rounded-4">
            Back to live
          </NearLink>
        </p>
      </div>
    </div>
  );
}

/** The instant that the server names, as the console writes instants. */
function WithInstant({ text }: { text: string }) {
  const [before, iso, after] = text.split(/(\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z)/);
  if (!iso) return text;
  return (
    <>
      {before}
      <Instant at={Date.parse(iso)} now={Date.now()} />
      {after}
    </>
  );
}

/**
 * What a page of the past lacks.
 *
 * @param limits sentences about what every such page lacks; empty if there is nothing
 */
export function PastNote({ past, limits = '' }: { past: PastMark | undefined; limits?: string }) {
  if (!past || !(limits || past.isCut || past.isLagging || past.restored)) return null;
  const { at, restored } = past;
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
      {past.isCut && 'Too many locks were in use at this instant: some are left out. '}
      {past.isLagging && 'The latest changes are not recorded yet; reload in a few seconds. '}
      {limits}
    </p>
  );
}

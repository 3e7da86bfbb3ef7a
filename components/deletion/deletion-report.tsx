import type {
  DeletionResult,
  DeletionPreview as Preview,
} from '@/server/contract/console/deletion-inputs';
import { retentionLabel } from '@/server/core/deletion/deletion';
import { exactCount, plural } from '@/server/core/format/numbers';
import { VisibleText } from '../ui/visible-text';
import type { DeletionProgress } from './use-deletion';

const RESULTS_SHOWN = 50;

/** How many names are listed at first for each reason. */
const FIRST_NAMES = 5;

type Kind = 'lock' | 'counter';

/** How many names would be deleted, and which would be kept and why. */
export function DeletionPreview({ preview, kind }: { preview: Preview; kind: Kind }) {
  const { matching, going, examples, kept } = preview;
  return (
    <div className="rounded-10 border border-line px-3.5 py-2.5" aria-live="polite">
      {matching === 0 ? (
        <p>No {kind} matches.</p>
      ) : (
        <p>
          <span className="font-[620]">
            {exactCount(going)} of {plural(matching, kind)}
          </span>{' '}
          can be deleted
          {going > 0 && (
            <>
              {': '}
              <Names names={examples} all={going} />
            </>
          )}
          .
        </p>
      )}
      {kept.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-1 text-12 text-t2">
          {kept.map(({ because, count, examples: some }) => (
            <li key={because}>
              {exactCount(count)} kept: {retentionLabel(because, kind)} (
              <Names names={some.slice(0, FIRST_NAMES)} all={count} />)
              {some.length > FIRST_NAMES && (
                <details>
                  <summary className="w-fit cursor-pointer rounded-4 py-0.5 link">
                    {plural(some.length - FIRST_NAMES, 'more name')}
                  </summary>
                  <Names names={some.slice(FIRST_NAMES)} all={count - FIRST_NAMES} />
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Names({ names, all }: { names: string[]; all: number }) {
  return (
    <span className="font-mono text-12 [overflow-wrap:anywhere]">
      {names.map((name, i) => (
        <span key={name}>
          {i > 0 && ', '}
          <VisibleText text={name} />
        </span>
      ))}
      {all > names.length && ', …'}
    </span>
  );
}

/** How many names were deleted so far, and which were not and why. */
export function DeletionResults({ progress, kind }: { progress: DeletionProgress; kind: Kind }) {
  const { deleted, left, isBusy } = progress;
  return (
    <div role="status" className="rounded-10 border border-line px-3.5 py-2.5">
      <p className="font-[620]">
        {plural(deleted, kind)} deleted{isBusy ? ' so far…' : '.'}
      </p>
      {left.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-1 text-12 text-t2">
          {left.slice(0, RESULTS_SHOWN).map((result) => (
            <li key={result.name}>
              <span className="font-mono [overflow-wrap:anywhere]">
                <VisibleText text={result.name} />
              </span>
              {': '}
              {resultLabel(result, kind)}
            </li>
          ))}
          {left.length > RESULTS_SHOWN && (
            <li>and {exactCount(left.length - RESULTS_SHOWN)} more</li>
          )}
        </ul>
      )}
    </div>
  );
}

function resultLabel(result: DeletionResult, kind: Kind): string {
  if (result.outcome === 'kept') return `kept: ${retentionLabel(result.because, kind)}`;
  return result.outcome === 'gone' ? 'not found' : 'used in the meantime, not deleted';
}

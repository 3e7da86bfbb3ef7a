import type { DeletionResult } from '@/server/contract/console/deletion-inputs';
import { exactCount } from '../format/counts';
import { VisibleText } from '../ui/visible-text';
import { RETENTION_LABELS } from './retention-labels';
import type { DeletionProgress } from './use-deletion';

const SHOWN = 50;

/** How far it has come, and name by name what was not deleted and why. */
export function DeletionResults({ course, words }: { course: DeletionProgress; words: string }) {
  const { deleted, left, isBusy } = course;
  return (
    <div role="status" className="rounded-10 border border-line px-3.5 py-2.5">
      <p className="font-[620]">
        {exactCount(deleted)} {words} deleted{isBusy ? ' so far…' : '.'}
      </p>
      {left.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-1 text-12 text-t2">
          {left.slice(0, SHOWN).map((result) => (
            <li key={result.name}>
              <span className="font-mono [overflow-wrap:anywhere]">
                <VisibleText text={result.name} />
              </span>
              {': '}
              {resultLabel(result)}
            </li>
          ))}
          {left.length > SHOWN && <li>and {exactCount(left.length - SHOWN)} more</li>}
        </ul>
      )}
    </div>
  );
}

function resultLabel(result: DeletionResult): string {
  if (result.outcome === 'kept') return `kept: ${RETENTION_LABELS[result.because]}`;
  return result.outcome === 'gone' ? 'not there' : 'used meanwhile, so it was left alone';
}

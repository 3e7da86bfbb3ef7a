import type { DeletionPreview as Preview } from '@/server/contract/console/deletion-inputs';
import { exactCount } from '../format/counts';
import { VisibleText } from '../ui/visible-text';
import { RETENTION_LABELS } from './retention-labels';

/** What would go, and what is kept back and why. */
export function DeletionPreview({ preview, words }: { preview: Preview; words: string }) {
  const { matching, going, examples, kept } = preview;
  return (
    <div className="rounded-10 border border-line px-3.5 py-2.5" aria-live="polite">
      <p>
        <span className="font-[620]">
          {exactCount(going)} of {exactCount(matching)} {words}
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
      {kept.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-1 text-12 text-t2">
          {kept.map(({ because, count, examples: some }) => (
            <li key={because}>
              {exactCount(count)} kept: {RETENTION_LABELS[because]} (
              <Names names={some} all={count} />)
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

'use client';

import { useQuery } from '@tanstack/react-query';
import { problemOf } from '../../live/problem';
import { useTRPC } from '../../live/trpc';
import { CopyButton } from '../../ui/controls/copy-button';
import { Dialog } from '../../ui/controls/dialog';
import { ProblemNote } from '../../ui/problem-note';
import { RowsSkeleton } from '../../ui/rows-skeleton';
import { highlightCode } from './highlight-code';

/** The source of a strategy, as the Lab runs it, to be read and copied. */
export function SourceDialog({
  id,
  title,
  onClose,
}: {
  id: string;
  title: string;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.lab.source.queryOptions({ id }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  return (
    <Dialog open onClose={onClose} title={title} wide>
      {data && (
        <>
          <div className="mt-1 flex items-center gap-3 pb-3">
            <code className="min-w-0 flex-1 font-mono text-12 break-all text-t2">{data.path}</code>
            <CopyButton text={data.text} label="Copy the source" />
          </div>
          <Code text={data.text} />
        </>
      )}
      {!data && !error && <RowsSkeleton rows={10} />}
      {error && (
        <div className="mt-3">
          <ProblemNote problem={problemOf(error)} title="Could not load the source" />
        </div>
      )}
    </Dialog>
  );
}

function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <pre className="lab-code" tabIndex={0}>
      <code>
        {highlightCode(text).map((piece, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes
          <span key={place} data-kind={piece.kind}>
            {piece.text}
          </span>
        ))}
      </code>
    </pre>
  );
}

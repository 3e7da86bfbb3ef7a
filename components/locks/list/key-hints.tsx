'use client';

import { exactCount } from '../../format/counts';
import { useSession } from '../../live/session';
import { SLOWED_LABEL } from './slowed-note';
import { useVisibleRange, type VisibleRange } from './visible-range';

/** The keys of the lock list, and where in it the screen is. Only where there is a keyboard. */
export function KeyHints({
  range,
  matching,
  isSlowed,
}: {
  range: VisibleRange;
  matching: number;
  /** News come less often than they should. */
  isSlowed: boolean;
}) {
  const { may } = useSession();
  const isOperator = may('operator');
  return (
    <div className="key-hints flex h-[30px] shrink-0 items-center gap-4 border-line border-t bg-s1 px-[var(--gutter)] text-12 text-t2 max-md:hidden">
      <Hint keys={['j', 'k']} word="move" />
      <Hint keys={['↵']} word="open" />
      {isOperator && <Hint keys={['e']} word="extend…" />}
      {isOperator && <Hint keys={['r']} word="force release…" />}
      {isOperator && <Hint keys={['x']} word="select" />}
      <Hint keys={['/']} word="search" />
      <Hint keys={['?']} word="shortcuts" />
      <span className="ml-auto truncate text-t3">
        <VisibleRows range={range} matching={matching} />
        {isSlowed && (
          <span role="status" className="pl-4 text-contended">
            {SLOWED_LABEL}
          </span>
        )}
      </span>
    </div>
  );
}

function VisibleRows({ range, matching }: { range: VisibleRange; matching: number }) {
  const { first, last } = useVisibleRange(range);
  if (matching === 0) return null;
  const end = Math.min(last + 1, matching);
  return `${exactCount(first + 1)}–${exactCount(end)} of ${exactCount(matching)}`;
}

function Hint({ keys, word }: { keys: string[]; word: string }) {
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      {keys.map((key) => (
        <kbd key={key} className="key">
          {key}
        </kbd>
      ))}
      {word}
    </span>
  );
}

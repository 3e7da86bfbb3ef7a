'use client';

import { useSyncExternalStore } from 'react';
import { exactCount } from '@/server/core/format/numbers';
import { Icon } from '../../icons/icon';
import { useSession } from '../../live/session';
import { usePastAt } from '../../past/past-at';
import { Hint, KeyBar } from '../../ui/key-bar';

/** The effect of a key, where nothing else shows it. */
export interface KeyNote {
  text: string;
  isProblem: boolean;
}

/** The keys of the lock list, and the range of rows in view. Only where there is a keyboard. */
export function KeyHints({
  range,
  matching,
  isSlowed,
  note,
}: {
  range: VisibleRange;
  matching: number;
  /** Updates come less often than they should. */
  isSlowed: boolean;
  /** The effect of the last key; null: nothing to say. */
  note: KeyNote | null;
}) {
  const { may } = useSession();
  const isPast = usePastAt() !== null;
  const isOperator = may('operator');
  return (
    <KeyBar>
      <Hint keys={['j', 'k']} word="move" />
      <Hint keys={['↵']} word="open" />
      {!isPast && <Hint keys={['Space']} word="preview" />}
      {isOperator && <Hint keys={['a']} word="ask…" />}
      {isOperator && <Hint keys={['r']} word="force release…" />}
      {isOperator && <Hint keys={['x']} word="select" />}
      <Hint keys={['/']} word="search" />
      <Hint keys={['?']} word="shortcuts" />
      <span
        role="status"
        className={`ml-auto min-w-0 truncate ${note?.isProblem ? 'text-contended' : 'text-acc'}`}
      >
        {note?.text}
      </span>
      <span className="truncate text-t3">
        <VisibleRows range={range} matching={matching} />
        {isSlowed && (
          <span role="status" className="pl-4 text-contended">
            {SLOWED_LABEL}
          </span>
        )}
      </span>
    </KeyBar>
  );
}

function VisibleRows({ range, matching }: { range: VisibleRange; matching: number }) {
  const visible = useVisibleRange(range);
  if (matching === 0 || !visible) return null;
  const { first, last } = visible;
  const end = Math.min(last + 1, matching);
  return `${exactCount(first + 1)}–${exactCount(end)} of ${exactCount(matching)}`;
}

/**
 * The rows in view, empty until they are known; kept separately so that scrolling redraws only the
 * rows and their range.
 */
export interface VisibleRange {
  get: () => string;
  set: (first: number, last: number) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createVisibleRange(): VisibleRange {
  let current = '';
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (first, last) => {
      current = `${first} ${last}`;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The positions of the first and the last row in view, from 0; null: not known yet. */
function useVisibleRange(range: VisibleRange): { first: number; last: number } | null {
  const text = useSyncExternalStore(range.subscribe, range.get, () => '');
  if (text === '') return null;
  const [first = 0, last = 0] = text.split(' ').map(Number);
  return { first, last };
}

const SLOWED_LABEL = 'Live updates slowed: server busy';

/**
 * Says on screens without the line of keys that updates come less often than they should, or why a
 * key cannot act. It floats at the foot of the page, so that nothing moves.
 */
export function FootNote({ isSlowed, note }: { isSlowed: boolean; note: KeyNote | null }) {
  if (!isSlowed && !note) return null;
  return (
    <div className="relative z-30 h-0 md:hidden">
      <p
        role="status"
        className="rise-in absolute bottom-3 left-[var(--gutter)] flex max-w-[calc(100%-2*var(--gutter))] items-center gap-2.5 rounded-10 border border-line2 bg-s1 px-3.5 py-2 shadow-lg"
      >
        {!note && <Icon name="hourglass" size={15} className="text-contended" />}
        {note?.text ?? SLOWED_LABEL}
      </p>
    </div>
  );
}

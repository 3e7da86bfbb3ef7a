'use client';

import type { ReactNode } from 'react';
import { Icon } from '../icons/icon';
import { useIsStale, useRefusal } from './reading';
import { useTabState } from './tab/tab-rest';

/**
 * Marks data as old, and says that the page is reconnecting, or why the server refuses to send
 * newer data. It floats at the bottom of the page, so that nothing moves when it appears or
 * disappears.
 */
export function ConnectionLostNote() {
  const isStale = useIsStale();
  const refusal = useRefusal();
  const isWaking = useTabState() === 'waking';
  if (!isStale || isWaking) return null;
  return (
    <FloatingNote>
      <span>
        {refusal ?? 'Connection lost.'} Showing the last known state; countdowns are paused.{' '}
        {refusal ? 'Trying again…' : 'Reconnecting…'}
      </span>
    </FloatingNote>
  );
}

/** A note that floats at the bottom of the page, so that nothing moves for it. */
export function FloatingNote({ children }: { children: ReactNode }) {
  return (
    <div className="relative z-30 h-0">
      <p className="rise-in absolute bottom-3 left-[var(--gutter)] flex max-w-[min(640px,calc(100%-2*var(--gutter)))] items-start gap-2.5 rounded-10 border border-unknown border-dashed bg-s1 px-3.5 py-2.5 shadow-lg">
        <Icon name="question" size={16} className="mt-0.5 text-unknown" />
        {children}
      </p>
    </div>
  );
}

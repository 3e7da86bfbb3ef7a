'use client';

import { useSyncExternalStore } from 'react';

/**
 * Which rows are in view, kept separately so that scrolling redraws only the rows and the line that
 * reports the range.
 */
export interface VisibleRange {
  get: () => string;
  set: (first: number, last: number) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createVisibleRange(): VisibleRange {
  let current = '0 0';
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

/** The places of the first and the last row in view, from 0. */
export function useVisibleRange(range: VisibleRange): { first: number; last: number } {
  const text = useSyncExternalStore(range.subscribe, range.get, () => '0 0');
  const [first = 0, last = 0] = text.split(' ').map(Number);
  return { first, last };
}

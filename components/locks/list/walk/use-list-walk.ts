'use client';

import { useMemo, useSyncExternalStore } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';

/** The list that was shown last in this tab, as far as it was read. */
interface ShownList {
  /** Its name, such as that of a view. */
  title: string;
  href: string;
  rows: readonly Pick<LockRow, 'namespace' | 'name'>[];
  /** The position of the first of them. */
  offset: number;
  matching: number;
}

/** Where a lock is in that list. */
export interface ListWalk extends Pick<ShownList, 'title' | 'href' | 'matching'> {
  /** From 0. */
  place: number;
  previous: Pick<LockRow, 'namespace' | 'name'> | null;
  next: Pick<LockRow, 'namespace' | 'name'> | null;
}

let shown: ShownList | null = null;

/** Stores the list for the pages of its locks. */
export function keepList(list: ShownList): void {
  shown = list;
}

const never = () => () => {};

/** The position of a lock in the list that was shown last; null if it is not in it. */
export function useListWalk(namespace: string, name: string): ListWalk | null {
  const list = useSyncExternalStore(
    never,
    () => shown,
    () => null,
  );
  return useMemo(() => {
    if (!list) return null;
    const { title, href, rows, offset, matching } = list;
    const i = rows.findIndex((row) => row.namespace === namespace && row.name === name);
    if (i === -1) return null;
    const [previous, next] = [rows[i - 1] ?? null, rows[i + 1] ?? null];
    return { title, href, matching, place: offset + i, previous, next };
  }, [list, namespace, name]);
}

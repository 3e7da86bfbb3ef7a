import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { DELETE_NAMES_MAX } from '@/server/contract/console/console-terms';

/** What selecting a lock or counter needs to know of it. */
export interface Selectable {
  id: string;
  namespace: string;
  name: string;
}

/**
 * Whether the deletion dialog can name it: that takes one name per line, and a text field turns a
 * carriage return into a line break.
 */
export const isNameable = ({ name }: Pick<Selectable, 'name'>): boolean => !/[\n\r]/.test(name);

/** Rows by id, in the order in which they were selected; also those that are not loaded now. */
export type Selection = ReadonlyMap<string, Selectable>;

export const EMPTY_SELECTION: Selection = new Map();

/** Adds rows, up to the number that one request may name; the others are left out. */
export function withRows(selection: Selection, rows: readonly Selectable[]): Selection {
  const next = new Map(selection);
  for (const { id, namespace, name } of rows) {
    if (next.size >= DELETE_NAMES_MAX) break;
    next.set(id, { id, namespace, name });
  }
  return next;
}

export function withoutRows(selection: Selection, rows: readonly Selectable[]): Selection {
  const next = new Map(selection);
  for (const { id } of rows) next.delete(id);
  return next;
}

/** Removes names of one namespace. */
export function withoutNames(selection: Selection, namespace: string, names: string[]): Selection {
  const gone = new Set(names);
  return new Map(
    [...selection].filter(([, row]) => row.namespace !== namespace || !gone.has(row.name)),
  );
}

/** The rows from one to another, both included; only the latter if the former is not there. */
export function rowsBetween<T extends Selectable>(
  rows: readonly T[],
  fromId: string | null,
  toId: string,
): T[] {
  const to = rows.findIndex(({ id }) => id === toId);
  const from = rows.findIndex(({ id }) => id === fromId);
  if (to === -1) return [];
  if (from === -1) return rows.slice(to, to + 1);
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** The selected names of each namespace, all in order: one deletion is about one namespace. */
export function namesByNamespace(selection: Selection): [namespace: string, names: string[]][] {
  const names = new Map<string, string[]>();
  for (const { namespace, name } of selection.values()) {
    names.set(namespace, [...(names.get(namespace) ?? []), name]);
  }
  for (const some of names.values()) some.sort();
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1));
}

export interface SelectionControls {
  selection: Selection;
  /** Whether rows have checkboxes on a phone. */
  isSelecting: boolean;
  /** How many of the loaded rows are selected: all of those that may be, some, or none. */
  loaded: 'all' | 'some' | 'none';
  begin: () => void;
  /** @param isRange also selects all rows between this one and the previous one */
  select: (id: string, isSelected: boolean, isRange: boolean) => void;
  /** All loaded rows that may be selected. */
  selectLoaded: (isSelected: boolean) => void;
  /** Leaves out names that are gone. */
  drop: (namespace: string, names: string[]) => void;
  clear: () => void;
}

/**
 * The selection of rows; they stay selected when they are no longer loaded.
 *
 * @param rows those that are loaded, in their order
 * @param maySelect must be the same function in every render
 */
export function useSelection<T extends Selectable>(
  rows: T[],
  maySelect: (row: T) => boolean,
): SelectionControls {
  const [selection, setSelection] = useState(EMPTY_SELECTION);
  const [isSelecting, setSelecting] = useState(false);
  const latest = useRef(rows);
  useLayoutEffect(() => {
    latest.current = rows;
  });
  const anchor = useRef<string | null>(null);
  const set = useCallback(
    (changed: T[], isSelected: boolean) =>
      setSelection((old) =>
        isSelected ? withRows(old, changed.filter(maySelect)) : withoutRows(old, changed),
      ),
    [maySelect],
  );
  const acts = useMemo(
    () => ({
      begin: () => setSelecting(true),
      select(id: string, isSelected: boolean, isRange: boolean) {
        set(rowsBetween(latest.current, isRange ? anchor.current : null, id), isSelected);
        anchor.current = id;
      },
      selectLoaded: (isSelected: boolean) => set(latest.current, isSelected),
      drop: (namespace: string, names: string[]) =>
        setSelection((old) => withoutNames(old, namespace, names)),
      clear() {
        setSelection(EMPTY_SELECTION);
        setSelecting(false);
        anchor.current = null;
      },
    }),
    [set],
  );
  const loaded = useMemo(() => {
    const selectable = rows.filter((row) => maySelect(row) || selection.has(row.id));
    const count = selectable.filter(({ id }) => selection.has(id)).length;
    if (count === 0) return 'none';
    return count === selectable.length ? 'all' : 'some';
  }, [rows, selection, maySelect]);
  return { selection, isSelecting: isSelecting || selection.size > 0, loaded, ...acts };
}

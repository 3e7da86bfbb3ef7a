import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  EMPTY_SELECTION,
  rowsBetween,
  type Selectable,
  type Selection,
  withoutNames,
  withoutRows,
  withRows,
} from './selection';

export interface SelectionControls {
  selection: Selection;
  /** On a phone rows have checkboxes only meanwhile. */
  isSelecting: boolean;
  /** How many of the loaded rows are selected: all of those that may be, some, or none. */
  loaded: 'all' | 'some' | 'none';
  begin: () => void;
  /** @param isRange together with all rows since the one before */
  select: (id: string, isSelected: boolean, isRange: boolean) => void;
  /** All loaded rows that may be selected. */
  selectLoaded: (isSelected: boolean) => void;
  /** Leaves out names that are gone. */
  drop: (namespace: string, names: string[]) => void;
  clear: () => void;
}

/**
 * Which rows are selected; they stay so when they are no longer loaded.
 *
 * @param rows those that are loaded, in their order
 * @param maySelect never another function
 */
export function useSelection<T extends Selectable>(
  rows: T[],
  maySelect: (row: T) => boolean,
): SelectionControls {
  const [selection, setSelection] = useState(EMPTY_SELECTION);
  const [isSelecting, setSelecting] = useState(false);
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  });
  const anchor = useRef<string | null>(null);
  const set = useCallback(
    (some: T[], isSelected: boolean) =>
      setSelection((old) =>
        isSelected ? withRows(old, some.filter(maySelect)) : withoutRows(old, some),
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
    const some = rows.filter((row) => maySelect(row) || selection.has(row.id));
    const count = some.filter(({ id }) => selection.has(id)).length;
    if (count === 0) return 'none';
    return count === some.length ? 'all' : 'some';
  }, [rows, selection, maySelect]);
  return { selection, isSelecting: isSelecting || selection.size > 0, loaded, ...acts };
}

import { DELETE_NAMES_MAX } from '@/server/contract/console/console-terms';

/** A lock or a counter as far as selecting it goes. */
export interface Selectable {
  id: string;
  namespace: string;
  name: string;
}

/** Whether the deletion dialog can name it: it takes names one a line. */
export const isNameable = ({ name }: Selectable): boolean => !name.includes('\n');

/** Rows by id, in the order in which they were selected; also those that are not loaded now. */
export type Selection = ReadonlyMap<string, Selectable>;

export const EMPTY_SELECTION: Selection = new Map();

/** With these rows, up to as many as one request may name; the others are left out. */
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

/** Without names of one namespace. */
export function withoutNames(selection: Selection, namespace: string, names: string[]): Selection {
  const gone = new Set(names);
  return new Map(
    [...selection].filter(([, row]) => row.namespace !== namespace || !gone.has(row.name)),
  );
}

/** The rows from one to another, both included; the latter alone where the former is not there. */
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

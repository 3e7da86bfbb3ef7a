import { InvalidGuard } from './invalid-guard';

/** A value that the driver binds as it is. */
export type Bindable = string | number | bigint | boolean | Date | Uint8Array | null;

/** One row of a table, what to write there, and the token that must not be stale. */
export interface GuardedWrite {
  /** A table, or a schema and a table. Names are quoted; they are never parts of SQL. */
  table: string | readonly [schema: string, table: string];
  /** The columns that name the row: its primary key, or another unique one. None may be null. */
  key: Readonly<Record<string, Exclude<Bindable, null>>>;
  /** The columns to write, beside the fence. May be empty where only the fence is to rise. */
  set: Readonly<Record<string, Bindable>>;
  /** The fencing token of the hold: a positive integer below 2^53. */
  token: number;
  /**
   * The column that keeps the highest token seen: a 64-bit integer, null or 0 for none. Default
   * `fence`.
   */
  fence?: string | undefined;
}

/**
 * The row's fence is above the token: a later holder of the lock has written. Nothing was changed.
 */
export interface Stale {
  outcome: 'stale';
  seenToken: number;
}

/** `applied`: written, and the row's fence is the token now. */
export type UpsertOutcome = { outcome: 'applied' } | Stale;

/** `missing`: there is no such row. */
export type UpdateOutcome = UpsertOutcome | { outcome: 'missing' };

/** A guarded write that was checked, with its names quoted. */
export interface PlannedWrite {
  table: string;
  keyColumns: string[];
  keyValues: Bindable[];
  setColumns: string[];
  setValues: Bindable[];
  fence: string;
  token: number;
}

/**
 * Throws `InvalidGuard` for a bad token, bad names, an empty key, nulls in it, and columns that are
 * named twice.
 */
export function planWrite(write: GuardedWrite): PlannedWrite {
  const { table, key, set, token, fence = 'fence' } = write;
  const names = typeof table === 'string' ? [table] : table;
  if (names.length < 1 || names.length > 2) throw new InvalidGuard('A table has one name or two.');
  const columns = [...Object.keys(key), ...Object.keys(set), fence];
  if (Object.keys(key).length === 0) throw new InvalidGuard('A guarded write needs a key.');
  if (new Set(columns.map((name) => name.toLowerCase())).size < columns.length) {
    throw new InvalidGuard(`A column is named twice among ${columns.join(', ')}.`);
  }
  const unset = Object.entries({ ...key, ...set }).find(([, value]) => value === undefined);
  if (unset) throw new InvalidGuard(`The column "${unset[0]}" has no value.`);
  if (Object.values<Bindable>(key).includes(null)) {
    throw new InvalidGuard('A key with null in it names no row.');
  }
  return {
    table: names.map(quoted).join('.'),
    keyColumns: Object.keys(key).map(quoted),
    keyValues: Object.values(key),
    setColumns: Object.keys(set).map(quoted),
    setValues: Object.values(set),
    fence: quoted(fence),
    token: sureToken(token),
  };
}

/**
 * Throws `InvalidGuard` unless it is a positive integer that is exact in JavaScript, SQL and Lua.
 */
export function sureToken(token: number): number {
  if (Number.isSafeInteger(token) && token > 0) return token;
  throw new InvalidGuard(`A token is a positive integer below 2^53, not ${String(token)}.`);
}

/**
 * In backquotes, which MySQL and SQLite both know. SQLite takes an unknown name in double quotes
 * for a text.
 */
function quoted(name: string): string {
  if (typeof name !== 'string' || name === '' || name.includes('\0')) {
    throw new InvalidGuard('A name of a table or column is a text, and not empty.');
  }
  return `\`${name.replaceAll('`', '``')}\``;
}

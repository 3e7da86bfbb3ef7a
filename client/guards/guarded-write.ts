/** An invalid guarded write. Nothing was written, unless the message says so. */
export class InvalidGuard extends Error {
  override readonly name = 'InvalidGuard';
}

/** A value that the driver can bind unchanged. */
export type Bindable = string | number | bigint | boolean | Date | Uint8Array | null;

/** A row of a table, the values to write there, and the token that guards the write. */
export interface GuardedWrite {
  /** A table, or a schema and a table. Names are quoted; they cannot contain SQL. */
  table: string | readonly [schema: string, table: string];
  /** The columns that identify the row: its primary key or another unique key. None may be null. */
  key: Readonly<Record<string, Exclude<Bindable, null>>>;
  /** The columns to write besides the fence. May be empty, to raise only the fence. */
  set: Readonly<Record<string, Bindable>>;
  /** The fencing token of the hold: a positive integer below 2^53. */
  token: number;
  /**
   * The column that stores the highest token seen: a 64-bit integer; null or 0 mean none. Default:
   * `fence`.
   */
  fence?: string | undefined;
}

/** The row's fence is above the token: a later holder of the lock has written. Nothing changed. */
export interface Stale {
  outcome: 'stale';
  seenToken: number;
}

/** `applied`: written; the row's fence is now the token. */
export type UpsertOutcome = { outcome: 'applied' } | Stale;

/** `missing`: there is no such row. */
export type UpdateOutcome = UpsertOutcome | { outcome: 'missing' };

/** A guarded write after validation, with its names quoted. */
export interface PlannedWrite {
  table: string;
  keyColumns: string[];
  keyValues: Bindable[];
  setColumns: string[];
  setValues: Bindable[];
  fence: string;
  token: number;
}

const FIELDS: Record<keyof GuardedWrite, true> = {
  table: true,
  key: true,
  set: true,
  token: true,
  fence: true,
};

/**
 * Throws `InvalidGuard` for a bad token or name, a key that is empty or contains null, a column
 * without a value or named twice, and an unknown field.
 */
export function planWrite(write: GuardedWrite): PlannedWrite {
  refuseUnknownFields(write, FIELDS);
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
    token: validToken(token),
  };
}

/** Throws `InvalidGuard` for a misspelt field, which would otherwise be ignored silently. */
export function refuseUnknownFields<W extends object>(
  write: W,
  known: Record<keyof W, true>,
): void {
  const unknown = Object.keys(write).find((field) => !Object.hasOwn(known, field));
  if (unknown === undefined) return;
  const all = Object.keys(known).join(', ');
  throw new InvalidGuard(`A guarded write has no \`${unknown}\`. It has: ${all}.`);
}

/**
 * Throws `InvalidGuard` unless the token is a positive integer that JavaScript, SQL and Lua all
 * represent exactly.
 */
export function validToken(token: number): number {
  if (Number.isSafeInteger(token) && token > 0) return token;
  throw new InvalidGuard(`A token is a positive integer below 2^53, not ${String(token)}.`);
}

/**
 * In backquotes, which MySQL and SQLite accept. SQLite reads an unknown name in double quotes as
 * text.
 */
function quoted(name: string): string {
  if (typeof name !== 'string' || name === '' || name.includes('\0')) {
    throw new InvalidGuard('The name of a table or column must be a non-empty string.');
  }
  return `\`${name.replaceAll('`', '``')}\``;
}

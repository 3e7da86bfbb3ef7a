/** The stamp that a shard must carry for this process to use it. */
export interface EpochFence {
  /** Null: this process may not use it at present. */
  stamp: string | null;
}

/** The row of a shard's `settings` that holds its stamp. Only a shard has one. */
export const STAMP_ROW = 'shard.stamp';

/** Number of the error with which the guard fails: more than one row for one variable. */
export const OTHER_STAMP = 1172;

const STAMP = `SELECT MAX(value) INTO @stamp FROM settings WHERE id = '${STAMP_ROW}'`;

/**
 * A swap's packet that is rolled back unless the shard carries this stamp.
 *
 * The stamp's row is locked, shared, until the swap commits: a change of the stamp waits for the
 * swaps under way, and none that began under the old stamp can commit after it. So once a new list
 * is stamped, no process with another list changes anything, however late it learns of it.
 */
export function fencedSwap([begin = '', ...work]: string[], stamp: string): string[] {
  const isOther = `COALESCE(@stamp, '') <> '${stamp}'`;
  return [
    begin,
    `${STAMP} LOCK IN SHARE MODE`,
    `SELECT n INTO @stamp FROM (SELECT 1 n UNION ALL SELECT 2) two WHERE ${isOther}`,
    ...work,
  ];
}

/** Read last: if the shard still carries this stamp, what was read before was read while it did. */
export const READ_STAMP = `SELECT MAX(value) FROM settings WHERE id = '${STAMP_ROW}'`;

/** Whether the answer to `READ_STAMP`, the last of these results, is this stamp. */
export function hasStamp(results: unknown[][][], stamp: string): boolean {
  return results.at(-1)?.[0]?.[0] === stamp;
}

/** What a shard must be stamped with for this process to be served by it. */
export interface ShardFence {
  /** Null: this process is not served at present. */
  stamp: string | null;
}

/** The row of a shard's `settings` that has its stamp. Only a shard has one. */
export const STAMP_ROW = 'shard.stamp';

/** Number of the error with which the guard fails: more than one row for one variable. */
export const NOT_STAMPED_SO = 1172;

const STAMP = `SELECT MAX(value) INTO @stamp FROM settings WHERE id = '${STAMP_ROW}'`;

/**
 * A swap's packet that is rolled back unless the shard carries this stamp.
 *
 * The stamp's row is locked, shared, until the swap commits: whoever changes the stamp waits for the swaps under way, and
 * none that began under the old one can commit after it. So from the instant at which a new list is stamped, no process
 * that has another changes anything, however late it hears of it.
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

/** Read last: what was read before it was read while the shard carried this stamp, if it still does. */
export const READ_STAMP = `SELECT MAX(value) FROM settings WHERE id = '${STAMP_ROW}'`;

/** Whether the answer to `READ_STAMP`, the last of these, is this stamp. */
export function isStampedSo(results: unknown[][][], stamp: string): boolean {
  return results.at(-1)?.[0]?.[0] === stamp;
}

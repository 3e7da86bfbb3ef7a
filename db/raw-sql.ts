/** What may be put in the place of a `?`. */
export type SqlValue = string | number;

/** What a statement answered: rows as arrays, texts as texts whatever their column is; or how many rows it matched. */
export interface RawResult {
  rows: unknown[][];
  affected: number;
}

/** Runs one statement. Every `?` stands for the next value. */
export type Ask = (sql: string, values: SqlValue[]) => Promise<RawResult>;

/** Hand-written SQL, for what is too hot for the query builder. Fails like every other call of the database. */
export interface RawSql {
  ask: Ask;
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock it is rolled back and run again, so `work`
   * must touch nothing but through its own `ask`.
   */
  transaction<T>(work: (ask: Ask) => Promise<T>): Promise<T>;
}

import type { Database } from '../database';

/** The same database, which records every statement of its raw transactions. */
export function countingStatements(database: Database, statements: string[]): Database {
  const { raw } = database;
  const transaction: typeof raw.transaction = (work) =>
    raw.transaction((ask) =>
      work((sql, values) => {
        statements.push(sql);
        return ask(sql, values);
      }),
    );
  return Object.assign(Object.create(database), { raw: { ...raw, transaction } });
}

import { getTableColumns, getTableName } from 'drizzle-orm';
import * as tables from './mysql/mysql-schema';

/** A table as a store sees it. Names are the same in both dialects. */
export interface TableShape {
  name: string;
  columns: {
    name: string;
    /** The column has no null and no default. */
    isNeeded: boolean;
  }[];
}

/** A value of a row: both dialects store only these. */
export type Cell = string | number | null;

/** Every table of the schema, in its order. */
export function tableShapes(): TableShape[] {
  return Object.values(tables).map((table) => ({
    name: getTableName(table),
    columns: Object.entries(getTableColumns(table)).map(([key, { notNull, hasDefault }]) => ({
      name: key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      isNeeded: notNull && !hasDefault,
    })),
  }));
}

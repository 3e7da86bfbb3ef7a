import { isAscii } from 'node:buffer';
import {
  bigint,
  customType,
  index,
  int,
  mysqlTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/mysql-core';

/**
 * Byte-exact text of at most `bytes` bytes of UTF-8. Binary, because every text collation that both
 * MariaDB and MySQL support pads with spaces when it compares: `job` and `job ` would be one lock.
 */
const exactColumn = customType<{ data: string; driverData: Buffer; config: { bytes: number } }>({
  dataType: (config) => `varbinary(${config?.bytes ?? 255})`,
  toDriver: (value) => Buffer.from(value, 'utf8'),
  fromDriver: (value) => Buffer.from(value).toString('utf8'),
});

/**
 * ASCII compared by byte: ids in base64url may differ only in case. Other text is sent as bytes and
 * matches nothing: MariaDB refuses to compare it as text.
 */
const codeColumn = customType<{
  data: string;
  driverData: string | Buffer;
  config: { length: number };
}>({
  dataType: (config) => `varchar(${config?.length ?? 255}) character set ascii collate ascii_bin`,
  toDriver: (value) => (isAscii(Buffer.from(value)) ? value : Buffer.from(value)),
});

/** Unicode text, independent of the server's default character set. Up to 16 MB. */
const documentColumn = customType<{ data: string; driverData: string }>({
  dataType: () => 'mediumtext character set utf8mb4 collate utf8mb4_bin',
});

const wide = { mode: 'number' } as const;

/** The MySQL and MariaDB column kit of the schema. The whole program uses its types. */
export const mysqlKit = {
  table: mysqlTable,
  index,
  uniqueIndex,
  primaryKey,
  /** Auto-increment; may leave gaps. */
  serial: () => bigint(wide).autoincrement().primaryKey(),
  exact: (bytes: number) => exactColumn({ bytes }),
  /** ASCII letters, digits and punctuation, compared by byte. */
  code: (length: number) => codeColumn({ length }),
  /** Text for people, JSON, anything long. */
  document: () => documentColumn(),
  /** Epoch milliseconds, tokens, revs: integers below 2^53. */
  whole: () => bigint(wide),
  count: () => int(),
};

export type Kit = typeof mysqlKit;

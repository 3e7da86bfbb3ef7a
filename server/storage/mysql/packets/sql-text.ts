import { recordId } from '../../record-id';
import type { RecordKey } from '../../record-store';

/**
 * The server's clock in epoch milliseconds. `SYSDATE`, not `NOW`: `NOW` is fixed at the start of a
 * statement, so a statement that waited for a row would judge a lease by an old time.
 */
export const CLOCK = 'FLOOR(UNIX_TIMESTAMP(SYSDATE(6)) * 1000)';

/** A text as a literal. Only for sessions with `NO_BACKSLASH_ESCAPES`: it doubles quotes alone. */
export function quote(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}

/** A text as a binary literal; ids are stored and compared as bytes. */
export function bytes(text: string): string {
  return `_binary${quote(text)}`;
}

export function idList(keys: RecordKey[]): string {
  return keys.map((key) => bytes(recordId(key))).join(',');
}

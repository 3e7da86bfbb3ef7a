import { LockyardError } from '../../contract/errors';
import type { ControlContext } from '../../operations/operation-context';

/** A generated secret for the caller of `apply`; it is not stored. */
export interface MadeSecret {
  kind: 'key' | 'user';
  name: string;
  secret: string;
}

/** One difference between a file and the installation. */
export interface PlannedChange {
  sign: '+' | '~' | '-';
  kind: 'namespace' | 'policy' | 'alert rules' | 'user' | 'key';
  name: string;
  /** What differs, without any secret. */
  details: string[];
  /** Makes the change, entirely or not at all. */
  run: (ctx: ControlContext) => Promise<MadeSecret | undefined>;
}

export const APPLY_REASON = 'lockyard apply';

/** Runs a check of one entry of the file; its refusal names the entry. */
export function forEntry<T>(entry: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof LockyardError)) throw error;
    throw new LockyardError(error.reason, `${entry}: ${error.message}`, { cause: error });
  }
}

/** The fields in which two objects differ, as `field before -> after`. */
export function differences(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const text = (value: unknown) => (value === undefined ? 'default' : JSON.stringify(value));
  return fields
    .filter((field) => text(before[field]) !== text(after[field]))
    .map((field) => `${field} ${text(before[field])} -> ${text(after[field])}`);
}

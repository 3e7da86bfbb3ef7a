import { LockyardError } from '../../contract/errors';
import type { CliAnswer } from '../cli-answer';

/**
 * Creates something; with `--if-missing` only if it is not found. Another server or an admin may
 * create it meanwhile: then it is found after all.
 *
 * @param find answers for what exists as wanted; null: there is none
 * @throws LockyardError as `find`, `CONFLICT` for one that differs, and as `create`
 */
export async function createIfMissing(
  ifMissing: true | undefined,
  find: () => Promise<CliAnswer | null>,
  create: () => Promise<CliAnswer>,
): Promise<CliAnswer> {
  const known = ifMissing ? await find() : null;
  if (known) return known;
  try {
    return await create();
  } catch (error) {
    const isTaken = error instanceof LockyardError && error.reason === 'CONFLICT';
    const made = ifMissing && isTaken ? await find() : null;
    if (made) return made;
    throw error;
  }
}

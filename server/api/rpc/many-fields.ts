import { LockyardError } from '../../contract/errors';

/** Far more than any input has: a `meta` of 1 KB has the most fields, 146. */
const FIELDS_MAX = 200;

/** No schema is deeper. */
const DEPTH_MAX = 4;

/**
 * Refuses an input with an object of very many fields, before a schema checks each of them, which
 * would block all other callers.
 *
 * @throws LockyardError `INVALID`
 */
export function refuseManyFields(input: unknown, depth = 0): void {
  if (typeof input !== 'object' || input === null || depth > DEPTH_MAX) return;
  if (Array.isArray(input)) {
    for (const item of input) refuseManyFields(item, depth + 1);
    return;
  }
  let fields = 0;
  for (const field in input) {
    fields += 1;
    if (fields > FIELDS_MAX) {
      throw new LockyardError('INVALID', `An object may have at most ${FIELDS_MAX} fields.`);
    }
    refuseManyFields((input as Record<string, unknown>)[field], depth + 1);
  }
}

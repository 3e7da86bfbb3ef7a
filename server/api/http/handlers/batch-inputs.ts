import { LockyardError } from '../../../contract/errors';

const SHOWN_MAX_CHARS = 20;

/**
 * Refuses a batch that has an input without a call, which would be ignored: a caller that names a
 * procedure once but gives it two inputs would believe that both calls were made.
 *
 * @param text the inputs by the numbers of their calls, as JSON; tRPC checks the rest
 * @throws LockyardError `INVALID`
 */
export function refuseUnusedInputs(text: string, calls: number): void {
  const numbers = Array.from({ length: calls }, (_, i) => String(i));
  for (const number of Object.keys(parsed(text))) {
    if (numbers.includes(number)) continue;
    const shown = JSON.stringify(number.slice(0, SHOWN_MAX_CHARS));
    const known = calls === 1 ? 'one call, whose input is "0"' : `${calls} calls, counted from "0"`;
    throw new LockyardError('INVALID', `The batch has an input ${shown}, but ${known}.`);
  }
}

/** An empty object for a text that is not JSON, or not an object. */
function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

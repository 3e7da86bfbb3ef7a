/** Next's own limit for the text; the depth is far beyond that of any page here. */
const STATE_MAX_CHARS = 40_000;
const DEPTH_MAX = 32;

const PARAM_TYPES = new Set(
  ['c', 'oc', 'd'].concat(
    ['ci', 'di'].flatMap((type) => ['(..)(..)', '(.)', '(..)', '(...)'].map((way) => type + way)),
  ),
);
const REFRESHES = new Set(['refetch', 'inside-shared-layout', 'metadata-only']);

/**
 * Whether Next can parse the router state of a client navigation. Next answers 500 to a state that
 * it cannot parse, so this accepts what Next's schema accepts, up to a generous depth.
 */
export function isRouterState(header: string | string[] | undefined): boolean {
  if (header === undefined) return true;
  if (typeof header !== 'string' || header.length > STATE_MAX_CHARS) return false;
  try {
    return isTree(JSON.parse(decodeURIComponent(header)), 0);
  } catch {
    return false;
  }
}

function isTree(value: unknown, depth: number): boolean {
  if (!Array.isArray(value) || value.length < 2 || value.length > 6 || depth > DEPTH_MAX) {
    return false;
  }
  const [segment, slots, refreshed, marker, hints, last] = value;
  return (
    isSegment(segment) &&
    typeof slots === 'object' &&
    slots !== null &&
    Object.values(slots).every((slot) => isTree(slot, depth + 1)) &&
    isAbsentOr(refreshed, isPairOfTexts) &&
    isAbsentOr(marker, (each) => REFRESHES.has(each as string)) &&
    isAbsentOr(hints, (each) => typeof each === 'number') &&
    (last === undefined || typeof last === 'string')
  );
}

function isSegment(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [name, key, type, siblings] = value;
  return (
    typeof name === 'string' &&
    typeof key === 'string' &&
    PARAM_TYPES.has(type) &&
    (siblings === null ||
      (Array.isArray(siblings) && siblings.every((each) => typeof each === 'string')))
  );
}

const isPairOfTexts = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');

const isAbsentOr = (value: unknown, is: (value: unknown) => boolean) =>
  value === undefined || value === null || is(value);

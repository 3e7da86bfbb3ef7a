/**
 * The address of a lock's page. Browsers resolve the path segments `.` and `..` even when encoded,
 * so those names, and names that begin with `~`, get a `~` in front.
 */
export function lockPath(namespace: string, name: string): string {
  return pathUnder('locks', namespace, name);
}

/** The address of a counter's page. */
export function counterPath(namespace: string, name: string): string {
  return pathUnder('counters', namespace, name);
}

function pathUnder(place: string, namespace: string, name: string): string {
  const needsMark = name === '.' || name === '..' || name.startsWith('~');
  const marked = needsMark ? `~${name}` : name;
  return `/${place}/${encodeURIComponent(namespace)}/${encodeURIComponent(marked)}`;
}

/** The name that a path segment encodes; null if its percent-encoding is malformed. */
export function nameFromPath(segment: string): string | null {
  try {
    const name = decodeURIComponent(segment);
    return name.startsWith('~') ? name.slice(1) : name;
  } catch {
    return null;
  }
}

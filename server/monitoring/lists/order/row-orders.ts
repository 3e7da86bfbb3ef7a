import type { ProjectionRow } from '../../projection/projection-row';
import { compareBytes } from './compare-bytes';

/** The order in the console: by name, then by namespace. */
export function byName(a: ProjectionRow, b: ProjectionRow): number {
  return (
    compareTexts(a.key.name, b.key.name) ||
    compareTexts(a.key.namespace, b.key.namespace) ||
    compareTexts(a.id, b.id)
  );
}

/** The order of `lock.list`: by namespace, then by the bytes of the name. */
export function byKey(a: ProjectionRow, b: ProjectionRow): number {
  return (
    compareTexts(a.key.namespace, b.key.namespace) ||
    compareBytes(a.key.name, b.key.name) ||
    compareTexts(a.id, b.id)
  );
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

import type { AlertSubject } from '../../../contract/console/alerts/alert-row';
import { counterPath, lockPath } from '../../../core/paths/console-path';

/** The page of what an alert is about. @param origin of the console */
export function alertLink(
  { kind, backend, namespace, name }: AlertSubject,
  origin: string,
): string {
  return `${origin}${pathOf({ kind, backend, namespace, name })}`;
}

function pathOf({ kind, namespace, name }: AlertSubject): string {
  if (name === null) return '/backends';
  return kind === 'counterNear' ? counterPath(namespace, name) : lockPath(namespace, name);
}

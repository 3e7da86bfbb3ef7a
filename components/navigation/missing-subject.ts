import { visibleText } from '@/server/core/format/visible-text';
import { nameFromPath } from '@/server/core/paths/console-path';

/**
 * Why there is no page at an address, in one or two sentences that name what it would be about;
 * null if the address names nothing in particular.
 */
export function missingSubject(pathname: string): string | null {
  const [place, ...segments] = pathname.split('/').slice(1);
  const [first, second] = segments.map((segment) => visibleText(nameFromPath(segment) ?? segment));
  if (first === undefined || first === '') return null;
  if (place === 'locks' && second !== undefined) {
    return (
      `There is no namespace “${first}”, or no lock in it can have the name “${second}”. ` +
      'A lock exists from its first acquire; an admin creates its namespace.'
    );
  }
  if (place === 'counters' && second !== undefined) {
    return (
      `There is no counter “${second}” in namespace “${first}”. ` +
      'It was never created, or was deleted since.'
    );
  }
  if (place === 'insights') {
    return `There is no incident “${first}”, or it is older than the recorded history.`;
  }
  if (place === 'backends') return `This server was not started with a backend “${first}”.`;
  if (place === 'lab' && first === 'compare') {
    return 'These runs cannot be compared: at least one does not exist. Select two in the Lab.';
  }
  if (place === 'lab') return `The Lab has no race “${first}”.`;
  return null;
}

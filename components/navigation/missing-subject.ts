import { visibleText } from '@/server/core/format/visible-text';
import { nameFromPath } from '@/server/core/names/console-path';

/** What a page that is not there would be about. */
export interface MissingSubject {
  /** The title of the page in its place. */
  title: string;
  /** Why there may be no such page, in one or two sentences. */
  why: string;
}

const ANY: MissingSubject = {
  title: 'Page not found',
  why: 'There is nothing at this address. What it names may have been deleted, or be older than the history that is kept.',
};

/** What the address of a page that is not there names, as far as it can be read. */
export function missingSubject(pathname: string): MissingSubject {
  const [place, ...segments] = pathname.split('/').slice(1);
  const [first, second] = segments.map((segment) => visibleText(nameFromPath(segment) ?? segment));
  if (first === undefined || first === '') return ANY;
  if (place === 'locks' && second !== undefined) {
    return {
      title: 'Lock not found',
      why: `There is no namespace “${first}”, or no lock in it can have the name “${second}”. A lock exists from its first acquire; an admin creates its namespace.`,
    };
  }
  if (place === 'counters' && second !== undefined) {
    return {
      title: 'Counter not found',
      why: `There is no counter “${second}” in namespace “${first}”. It was never created, or was deleted since.`,
    };
  }
  if (place === 'insights') {
    return {
      title: 'Incident not found',
      why: `There is no incident “${first}”, or it is older than the history that is kept.`,
    };
  }
  if (place === 'backends') {
    return {
      title: 'Backend not found',
      why: `This server was not started with a backend “${first}”.`,
    };
  }
  if (place === 'lab') {
    return { title: 'Race not found', why: `The Lab has no race “${first}”.` };
  }
  return ANY;
}

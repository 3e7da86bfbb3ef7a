import { problemOf } from '../../live/problem';

/** One of the queries of a search. */
interface Asked {
  isPending: boolean;
  error: unknown;
}

/**
 * The note beside the results of a search, or null. It says “Nothing found” only if every query was
 * answered and none found anything.
 */
export function findNote(
  asked: readonly Asked[],
  isTyping: boolean,
  isEmpty: boolean,
): string | null {
  const failed = asked.find(({ error }) => error !== null);
  if (failed) return `Search incomplete: ${problemOf(failed.error).text}`;
  if (!isEmpty) return null;
  return isTyping || asked.some(({ isPending }) => isPending) ? 'Searching…' : 'Nothing found.';
}

/** The names that contain a text, ignoring case. */
export const namesWith = (names: readonly string[], text: string): string[] =>
  names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));

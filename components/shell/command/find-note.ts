import { problemOf } from '../../live/problem';

/** One of the questions that a search asks. */
interface Asked {
  isPending: boolean;
  error: unknown;
}

/**
 * What there is to say of a search besides what it found: only where all was answered and nothing
 * found is there nothing. Null: nothing to say.
 */
export function findNote(
  asked: readonly Asked[],
  isTyping: boolean,
  isEmpty: boolean,
): string | null {
  const failed = asked.find(({ error }) => error !== null);
  if (failed) return `Not all could be searched: ${problemOf(failed.error).text}`;
  if (!isEmpty) return null;
  return isTyping || asked.some(({ isPending }) => isPending) ? 'Searching…' : 'Nothing found.';
}

/** The names that have a text in them, whatever the case. */
export const namesWith = (names: readonly string[], text: string): string[] =>
  names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));

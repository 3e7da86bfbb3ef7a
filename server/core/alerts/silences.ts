import type {
  AlertSubject,
  SilenceMatcher,
  SilenceRow,
} from '../../contract/console/alerts/alert-row';

/** Whether an alert is not to be sent at `now`. */
export const isSilenced = (
  subject: AlertSubject,
  silences: readonly SilenceRow[],
  now: number,
): boolean => silences.some((silence) => silence.endsAt > now && matches(silence, subject));

/** Whether a matcher names this alert. Takes time in proportion to both texts at most. */
export function matches(matcher: SilenceMatcher, subject: AlertSubject): boolean {
  const { namespace, kind, name } = matcher;
  if (namespace !== undefined && namespace !== subject.namespace) return false;
  if (kind !== undefined && kind !== subject.kind) return false;
  return name === undefined || (subject.name !== null && matchesPattern(name, subject.name));
}

/** The pattern that matches this name alone. */
export const exactPattern = (name: string): string => name.replaceAll(/[\\*]/g, '\\$&');

/** The texts between the `*` of a pattern: `\*` and `\\` are characters of them. */
function literalsOf(pattern: string): string[] {
  if (!pattern.includes('\\')) return pattern.split('*');
  const literals = [''];
  for (const token of pattern.match(/\\[\\*]|./gs) ?? []) {
    if (token === '*') literals.push('');
    else literals[literals.length - 1] += token.length === 2 ? token.slice(1) : token;
  }
  return literals;
}

/** Each `*` of the pattern matches any text, also none. */
function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = literalsOf(pattern);
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

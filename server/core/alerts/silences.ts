import type { AlertSubject, SilenceRow } from '../../contract/console/alerts/alert-row';
import { alertKey } from './alert';

/** The number of alerts for which the matching silence is cached. */
const KNOWN_MAX = 20_000;

/** A silence, and the texts between the `*` of its pattern; null: it has no pattern. */
interface Prepared {
  silence: SilenceRow;
  literals: readonly string[] | null;
}

/** Silences, prepared to be compared with many alerts. */
export class Silences {
  /** The silences of a single name, by that name: usually most of them. */
  private readonly named = new Map<string, Prepared[]>();
  private readonly others: Prepared[] = [];
  /** The silence that matches each alert; null: no silence matches it, now or later. */
  private readonly known = new Map<string, SilenceRow | null>();

  constructor(readonly rows: readonly SilenceRow[]) {
    for (const silence of rows) {
      const literals = silence.name === undefined ? null : literalsOf(silence.name);
      const [name = '', ...more] = literals ?? [];
      const prepared = { silence, literals };
      if (literals === null || more.length > 0) this.others.push(prepared);
      else if (!this.named.get(name)?.push(prepared)) this.named.set(name, [prepared]);
    }
  }

  /** Whether an alert is silenced at `now`. */
  match(subject: AlertSubject, now: number): boolean {
    if (this.rows.length === 0) return false;
    const key = alertKey(subject);
    const known = this.known.get(key);
    if (known === null || (known && known.endsAt > now)) return known !== null;
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    const found = this.find(subject, now);
    this.known.set(key, found);
    return found !== null;
  }

  private find(subject: AlertSubject, now: number): SilenceRow | null {
    const isMatch = (one: Prepared) => one.silence.endsAt > now && matches(one, subject);
    const named = subject.name === null ? undefined : this.named.get(subject.name);
    return (named?.find(isMatch) ?? this.others.find(isMatch))?.silence ?? null;
  }
}

/** Whether a silence matches this alert, in time linear in the length of both texts. */
function matches({ silence, literals }: Prepared, subject: AlertSubject): boolean {
  const { namespace, kind } = silence;
  if (namespace !== undefined && namespace !== subject.namespace) return false;
  if (kind !== undefined && kind !== subject.kind) return false;
  return literals === null || (subject.name !== null && matchesPattern(literals, subject.name));
}

/** The pattern that matches only this name. */
export const exactPattern = (name: string): string => name.replaceAll(/[\\*]/g, '\\$&');

/** The texts between the `*` of a pattern, in which `\*` and `\\` are unescaped. */
function literalsOf(pattern: string): string[] {
  if (!pattern.includes('\\')) return pattern.split('*');
  const literals = [''];
  for (const token of pattern.match(/\\[\\*]|./gs) ?? []) {
    if (token === '*') literals.push('');
    else literals[literals.length - 1] += token.length === 2 ? token.slice(1) : token;
  }
  return literals;
}

/** Whether a text matches a pattern, each `*` of which matches any text, including an empty one. */
function matchesPattern(literals: readonly string[], text: string): boolean {
  const [first = ''] = literals;
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (let i = 1; i < literals.length - 1; i += 1) {
    const part = literals[i] as string;
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at;
}

import { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time-units';

/** One thing that was checked. */
export const finding = z.strictObject({
  /** What the finding is about, such as `backend orders`. */
  subject: z.string(),
  level: z.enum(['ok', 'warning', 'problem']),
  /** What was found, in one line. */
  says: z.string(),
  /** What to do; null where nothing is to be done. */
  advice: z.string().nullable(),
});
export type Finding = z.output<typeof finding>;

export const ok = (subject: string, says: string): Finding => ({
  subject,
  level: 'ok',
  says,
  advice: null,
});

/** It works, but may not for long, or is less safe than it could be. */
export const warning = (subject: string, says: string, advice: string): Finding => ({
  subject,
  level: 'warning',
  says,
  advice,
});

/** Something does not work, or a promise is not kept. */
export const problem = (subject: string, says: string, advice: string): Finding => ({
  subject,
  level: 'problem',
  says,
  advice,
});

/** A length of time in its two largest units: `3 d 4 h`, `12 s`, `140 ms`. */
export function lengthOf(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  const units = [
    [DAY_MS, 'd'],
    [HOUR_MS, 'h'],
    [MINUTE_MS, 'min'],
    [SECOND_MS, 's'],
  ] as const;
  const first = units.findIndex(([unit]) => ms >= unit);
  const parts = units.slice(first, first + 2).map(([unit, name], at) => {
    const count = Math.floor(at === 0 ? ms / unit : (ms % (units[first]?.[0] ?? 1)) / unit);
    return count > 0 || at === 0 ? `${count} ${name}` : '';
  });
  return parts.filter((part) => part !== '').join(' ');
}

import { exactCount } from '@/server/core/format/numbers';

/** 1,284; from ten thousand 12.4 k, from ten million 12.4 M. */
export function countText(count: number): string {
  if (count < 10_000) return exactCount(count);
  if (count < 10_000_000) return `${exactCount(Math.floor(count / 100) / 10)}\u202fk`;
  return `${exactCount(Math.floor(count / 100_000) / 10)}\u202fM`;
}

/** A count that was read from a store; null: that is silent, and may never have been read. */
export const knownCount = (count: number, isSilent: boolean): number | null =>
  isSilent && count === 0 ? null : count;

/** How often something happens in a second, without its unit: 0.02, 0.4, 842, 12.4 k. */
export function rateText(perSecond: number): string {
  if (perSecond <= 0) return '0';
  if (perSecond < 0.01) return '<\u202f0.01';
  if (perSecond < 0.1) return perSecond.toFixed(2);
  if (perSecond < 10) return perSecond.toFixed(1);
  return countText(Math.round(perSecond));
}

/** A figure and its unit stay on one line, and so does a duration of two units. */
export const keepUnits = (text: string): string =>
  text
    .replaceAll(/(?<=\d) (?=(?:ms|[smhd]|min|KB|waiting)\b)/g, '\u00a0')
    .replaceAll(/(?<=\d\u00a0[dhm]) (?=\d+\u00a0[hms]\b)/g, '\u00a0');

/** A token by its last four digits: the ones that differ. */
export function shortToken(token: number): string {
  return `…${String(token).slice(-4).padStart(4, '0')}`;
}

/** A version: whole while it is small, else its last four digits, since first revs are large. */
export function revText(rev: number): string {
  return rev < 1_000_000 ? exactCount(rev) : shortToken(rev);
}

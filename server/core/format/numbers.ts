const grouped = new Intl.NumberFormat('en-US');

/** An integer with all its digits, in groups of three, with a real minus sign. */
export const exactCount = (count: number) => grouped.format(count).replace('-', '−');

/** A count with its noun: 1 waiter, 3 waiters. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${exactCount(count)}\u00a0${count === 1 ? one : many}`;
}

/** How often: once, 3 times. */
export const timesText = (count: number) => (count === 1 ? 'once' : `${exactCount(count)} times`);

/** A text as the beginning of a sentence. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const grouped = new Intl.NumberFormat('en-US');

/** Every digit, in groups of three, with a true minus. */
export const exactCount = (count: number) => grouped.format(count).replace('-', '−');

/** A word with its number: 1 waiter, 3 waiters. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${exactCount(count)}\u00a0${count === 1 ? one : many}`;
}

/** How often: once, 3 times. */
export const timesText = (count: number) => (count === 1 ? 'once' : `${exactCount(count)} times`);

const grouped = new Intl.NumberFormat('en-US');

/** Every digit, in groups of three, with a true minus. */
export const exactCount = (count: number) => grouped.format(count).replace('-', '−');

/** 1,284; from ten thousand 12.4 k, from ten million 12.4 M. */
export function countText(count: number): string {
  if (count < 10_000) return exactCount(count);
  if (count < 10_000_000) return `${exactCount(Math.floor(count / 100) / 10)}\u202fk`;
  return `${exactCount(Math.floor(count / 100_000) / 10)}\u202fM`;
}

/** A word with its number: 1 waiter, 3 waiters. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${exactCount(count)}\u00a0${count === 1 ? one : many}`;
}

/** A write counts from `past` until before `ahead`, instants of the store's clock. */
export interface Window {
  past: number;
  ahead: number;
}

/** A decoded text. `effective` counts: the written text or the one before it; null: neither. */
export interface WindowedText {
  effective: string | null;
  written: string;
  /** Null: not stored. */
  before: string | null;
}

/**
 * A text stored with the window of its own write and with the text before it.
 *
 * ZooKeeper compares versions, not clocks, so a write cannot be refused for being late. But it
 * records the instant of every write in the same atomic step, and that decides here: a text written
 * outside its window never counts, and every reader sees the previous text instead, without a
 * further write.
 *
 * @param before not stored if the write cannot be late
 */
export function encodeWindowed(window: Window, text: string, before: string | null): string {
  const stored = mayBeLate(window) ? before : null;
  const { past, ahead } = window;
  const head = [past, ahead === Number.POSITIVE_INFINITY ? 0 : ahead, text.length, stored !== null];
  return `${JSON.stringify(head)}\n${text}${stored ?? ''}`;
}

export function decodeWindowed(data: Buffer, writtenAt: number): WindowedText {
  const all = data.toString('utf8');
  const start = all.indexOf('\n') + 1;
  const [past, ahead, length, hasBefore] = JSON.parse(all.slice(0, start)) as Head;
  const written = all.slice(start, start + length);
  const before = hasBefore ? all.slice(start + length) : null;
  const isInTime = isWithin({ past, ahead: ahead || Number.POSITIVE_INFINITY }, writtenAt);
  return { effective: isInTime ? written : before, written, before };
}

type Head = [past: number, ahead: number, length: number, hasBefore: boolean];

export const isWithin = ({ past, ahead }: Window, at: number): boolean => past <= at && at < ahead;

export const mayBeLate = ({ past, ahead }: Window): boolean =>
  past > 0 || ahead !== Number.POSITIVE_INFINITY;

/** The window in which writes with all of these windows count. */
export function commonWindow(windows: Window[]): Window {
  return {
    past: Math.max(...windows.map(({ past }) => past)),
    ahead: Math.min(...windows.map(({ ahead }) => ahead)),
  };
}

/** From when on, and until before when, a write counts: instants of the clock of whoever keeps it. */
export interface Window {
  past: number;
  ahead: number;
}

/** What a judged text says. `stands` counts, be it what was written or what stood before; null: nothing does. */
export interface Judged {
  stands: string | null;
  written: string;
  /** Null: it is not kept. */
  before: string | null;
}

/**
 * A text that is kept with the window of its own writing and with what stood before it.
 *
 * ZooKeeper compares versions and not clocks, so a write cannot be refused for coming too late. But it notes the instant
 * of every write in the same atomic step, and that decides here: a text written outside its window never counted, and
 * what stood before goes on to stand, for everybody who reads it and without anybody's help.
 *
 * @param before not kept where the write cannot be late
 */
export function encodeJudged(window: Window, text: string, before: string | null): Buffer {
  const kept = mayBeLate(window) ? before : null;
  const { past, ahead } = window;
  const head = [past, ahead === Number.POSITIVE_INFINITY ? 0 : ahead, text.length, kept !== null];
  return Buffer.from(`${JSON.stringify(head)}\n${text}${kept ?? ''}`, 'utf8');
}

export function decodeJudged(data: Buffer, writtenAt: number): Judged {
  const all = data.toString('utf8');
  const start = all.indexOf('\n') + 1;
  const [past, ahead, length, hasBefore] = JSON.parse(all.slice(0, start)) as Head;
  const written = all.slice(start, start + length);
  const before = hasBefore ? all.slice(start + length) : null;
  const counts = isWithin({ past, ahead: ahead || Number.POSITIVE_INFINITY }, writtenAt);
  return { stands: counts ? written : before, written, before };
}

type Head = [past: number, ahead: number, length: number, hasBefore: boolean];

export const isWithin = ({ past, ahead }: Window, at: number): boolean => past <= at && at < ahead;

export const mayBeLate = ({ past, ahead }: Window): boolean =>
  past > 0 || ahead !== Number.POSITIVE_INFINITY;

/** The window in which all of these count. */
export function commonWindow(windows: Window[]): Window {
  return {
    past: Math.max(...windows.map(({ past }) => past)),
    ahead: Math.min(...windows.map(({ ahead }) => ahead)),
  };
}

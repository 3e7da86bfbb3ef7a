const MINUS = '\u2212';

const two = (value: number) => String(value).padStart(2, '0');

/** A running time: 00:26, 1:04:10, and −00:38 once it is past its end. */
export function countdownText(leftMs: number): string {
  const isPast = leftMs < 0;
  const seconds = Math.floor(Math.abs(leftMs) / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const clock =
    hours > 0
      ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`
      : `${two(minutes)}:${two(seconds % 60)}`;
  return isPast ? `${MINUS}${clock}` : clock;
}

/**
 * The share of a lease that is left, from 0 to 1. An extended lease may have more left than it
 * lasts: it counts as full.
 */
export function shareLeft(leftMs: number, wholeMs: number): number {
  if (wholeMs <= 0) return 0;
  return Math.min(1, Math.max(0, leftMs / wholeMs));
}

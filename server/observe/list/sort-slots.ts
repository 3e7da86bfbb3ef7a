import type { TimeSlice } from './time-slice';

const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;

/**
 * Sorts slots by a key, stably, in slices: a radix sort, whose steps are all short, unlike a sort by comparing.
 *
 * @param slots sorted in place
 * @param keys by slot: whole numbers, or infinite
 */
export async function sortSlots(
  slots: Int32Array<ArrayBuffer>,
  keys: Float64Array,
  slice: TimeSlice,
): Promise<void> {
  const span = spanOf(slots, keys);
  let [from, to] = [slots, new Int32Array(slots.length)];
  for (let unit = 1; unit <= span.range; unit *= BUCKETS) {
    if (slice.isOver) await slice.pause();
    const ends = countDigits(from, keys, span, unit);
    if (slice.isOver) await slice.pause();
    for (let i = 0; i < from.length; i += 1) {
      const slot = from[i] as number;
      const digit = digitOf(keys[slot] as number, span, unit);
      const place = ends[digit] as number;
      to[place] = slot;
      ends[digit] = place + 1;
    }
    [from, to] = [to, from];
  }
  if (from !== slots) slots.set(from);
}

/** What is subtracted from every key, and how far above that the greatest is. */
interface Span {
  base: number;
  range: number;
}

/** The infinite keys get a place each, below and above all others. */
function spanOf(slots: Int32Array, keys: Float64Array): Span {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let hasInfinite = false;
  for (const slot of slots) {
    const key = keys[slot] as number;
    if (!Number.isFinite(key)) hasInfinite = true;
    else {
      if (key < least) least = key;
      if (key > greatest) greatest = key;
    }
  }
  if (greatest < least) [least, greatest] = [0, 0];
  return hasInfinite
    ? { base: least - 1, range: greatest - least + 2 }
    : { base: least, range: greatest - least };
}

/** Where the slots of each digit begin. */
function countDigits(slots: Int32Array, keys: Float64Array, span: Span, unit: number): Int32Array {
  const begins = new Int32Array(BUCKETS);
  for (const slot of slots) {
    const digit = digitOf(keys[slot] as number, span, unit);
    begins[digit] = (begins[digit] as number) + 1;
  }
  let sum = 0;
  for (let digit = 0; digit < BUCKETS; digit += 1) {
    const count = begins[digit] as number;
    begins[digit] = sum;
    sum += count;
  }
  return begins;
}

function digitOf(key: number, { base, range }: Span, unit: number): number {
  const above = Math.min(Math.max(key - base, 0), range);
  return Math.floor(above / unit) % BUCKETS;
}

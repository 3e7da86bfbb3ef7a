import type { TimeSlice } from './time-slice';

const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
const WORD_BITS = 32;
const WORD = 2 ** WORD_BITS;

/** Buffers, each at least as long as there are slots. */
export interface SortScratch {
  slots: Int32Array<ArrayBuffer>;
  /** By slot. */
  words: Uint32Array;
}

/**
 * Sorts slots by a key, stably and in slices: a radix sort, because unlike those of a comparison
 * sort its steps are all short.
 *
 * @param slots sorted in place
 * @param keys by slot: whole numbers, or infinite
 */
export async function sortSlots(
  slots: Int32Array<ArrayBuffer>,
  keys: Float64Array,
  scratch: SortScratch,
  slice: TimeSlice,
): Promise<void> {
  const { base, range } = await keyRange(slots, keys, slice);
  let [from, to] = [slots, scratch.slots.subarray(0, slots.length)];
  const { words } = scratch;
  for (let unit = 1; unit <= range; unit *= WORD) {
    const left = Math.floor(range / unit);
    await eachSlot(from, slice, (slot) => {
      const above = Math.min(Math.max((keys[slot] as number) - base, 0), range);
      words[slot] = Math.floor(above / unit) % WORD;
    });
    for (let shift = 0; shift < WORD_BITS && left >= 2 ** shift; shift += DIGIT_BITS) {
      await distribute(from, to, { words, shift, slice });
      [from, to] = [to, from];
    }
  }
  if (from !== slots) slots.set(from);
}

/** Slots that are processed between two checks of the clock. */
const PART = 8_192;

/** Loops by index: an iterator over a typed array would allocate an object for every slot. */
async function eachSlot(
  slots: Int32Array,
  slice: TimeSlice,
  work: (slot: number) => void,
): Promise<void> {
  for (let from = 0; from < slots.length; from += PART) {
    if (slice.isOver) await slice.pause();
    const to = Math.min(from + PART, slots.length);
    for (let at = from; at < to; at += 1) work(slots[at] as number);
  }
}

/** The value subtracted from every key, and how far above it the greatest key is. */
interface KeyRange {
  base: number;
  range: number;
}

/** The infinite keys count as one below and one above all others. */
async function keyRange(
  slots: Int32Array,
  keys: Float64Array,
  slice: TimeSlice,
): Promise<KeyRange> {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let hasInfinite = false;
  await eachSlot(slots, slice, (slot) => {
    const key = keys[slot] as number;
    if (!Number.isFinite(key)) hasInfinite = true;
    else {
      if (key < least) least = key;
      if (key > greatest) greatest = key;
    }
  });
  if (greatest < least) [least, greatest] = [0, 0];
  return hasInfinite
    ? { base: least - 1, range: greatest - least + 2 }
    : { base: least, range: greatest - least };
}

interface Digit {
  /** By slot. */
  words: Uint32Array;
  /** Where in a word the digit begins. */
  shift: number;
  slice: TimeSlice;
}

/** Sorts the slots by one digit of their words. */
async function distribute(
  from: Int32Array,
  to: Int32Array,
  { words, shift, slice }: Digit,
): Promise<void> {
  const digitOf = (slot: number) => ((words[slot] as number) >>> shift) & (BUCKETS - 1);
  const begins = new Int32Array(BUCKETS);
  await eachSlot(from, slice, (slot) => {
    const digit = digitOf(slot);
    begins[digit] = (begins[digit] as number) + 1;
  });
  let sum = 0;
  for (let digit = 0; digit < BUCKETS; digit += 1) {
    const count = begins[digit] as number;
    begins[digit] = sum;
    sum += count;
  }
  await eachSlot(from, slice, (slot) => {
    const digit = digitOf(slot);
    const place = begins[digit] as number;
    to[place] = slot;
    begins[digit] = place + 1;
  });
}

import type { CounterCourse, CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { DAY_MS, MINUTE_MS } from '@/server/core/time-units';

/** A bound that would be reached later than this is not mentioned. */
const SOON_MS = DAY_MS;

/** How fast the value moves and how often it changes: −41/min, 12 changes/min. */
export function rateLabel({ rate: { changes, net } }: CounterCourse): string {
  if (changes === 0) return 'no change in last 10\u00a0min';
  const often = rounded(changes);
  return `${signedRate(net)}/min, ${often}\u00a0${often === '1' ? 'change' : 'changes'}/min`;
}

/** When the value reaches a bound at its current rate; null: not within a day. */
export function boundLabelAhead(
  { value, floor, ceiling }: Pick<CounterRow, 'value' | 'floor' | 'ceiling'>,
  { rate: { net } }: CounterCourse,
): string | null {
  const bound = net < 0 ? floor : ceiling;
  if (value === null || bound === null || net === 0 || value === bound) return null;
  const ms = ((bound - value) / net) * MINUTE_MS;
  if (ms > SOON_MS) return null;
  const word = net < 0 ? 'floor' : 'ceiling';
  return `at the ${word} in about ${roughText(ms)}`;
}

/** A predicted time in one unit, since a rate is not exact: 40 s, 2.5 min, 35 min, 3.5 h. */
function roughText(ms: number): string {
  const tens = Math.max(1, Math.round(ms / 10_000));
  if (tens < 6) return `${tens * 10}\u00a0s`;
  const minutes = roughly(ms / MINUTE_MS);
  return minutes < 60 ? `${minutes}\u00a0min` : `${roughly(ms / MINUTE_MS / 60)}\u00a0h`;
}

/** To halves below ten, to whole numbers from there on. */
const roughly = (count: number) => (count < 10 ? Math.round(2 * count) / 2 : Math.round(count));

function signedRate(net: number): string {
  const text = rounded(Math.abs(net));
  if (text === '0') return '±0';
  return net > 0 ? `+${text}` : `−${text}`;
}

function rounded(count: number): string {
  return exactCount(count < 10 ? Math.round(count * 10) / 10 : Math.round(count));
}

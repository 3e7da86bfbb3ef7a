import type { CounterCourse } from '../../contract/console/counter-row';
import { MINUTE_MS } from '../time-units';
import { type CounterMinute, valueBefore, wholeMinutes } from './counter-minute';
import { minuteOf } from './minute-rollup';

/** The period that a course covers. */
export const COURSE_MS = 60 * MINUTE_MS;

/** The number of minutes that a rate covers, including the present one. */
const RATE_MINUTES = 10;

/** A rate covers at least this time: else one step in the first second would be 60 a minute. */
const RATE_LEAST_MS = MINUTE_MS;

/**
 * How a counter's value moved over the last hour.
 *
 * @param minutes with changes, in any order, those of all shards: see `wholeMinutes`; those before
 *   the hour are ignored, and those after `now`, which are from before the clock was set back
 * @param createdAt when the present counter was created: earlier minutes belong to a deleted one of
 *   the same name
 * @param now the backend's clock
 */
export function counterCourse(
  minutes: readonly CounterMinute[],
  createdAt: number,
  now: number,
): CounterCourse {
  const from = Math.max(now - COURSE_MS, createdAt);
  const first = minuteOf({ at: from });
  const own = wholeMinutes(minutes.filter(({ minute }) => minute >= first && minute <= now));
  return { points: pointsOf(own, from, now), rate: rateOf(own, createdAt, now) };
}

/** The value is constant between minutes with changes; each change is drawn at its minute's end. */
function pointsOf(minutes: readonly CounterMinute[], from: number, now: number) {
  const points: CounterCourse['points'] = [];
  const [first] = minutes;
  if (!first) return points;
  let level = valueBefore(first);
  let drawnTo = from;
  points.push({ at: from, value: level });
  for (const { minute, value } of minutes) {
    if (minute > drawnTo) points.push({ at: minute, value: level });
    level = value;
    drawnTo = Math.max(drawnTo, Math.min(now, minute + MINUTE_MS));
    points.push({ at: drawnTo, value });
  }
  return points;
}

function rateOf(
  minutes: readonly CounterMinute[],
  createdAt: number,
  now: number,
): CounterCourse['rate'] {
  const begin = minuteOf({ at: now }) - (RATE_MINUTES - 1) * MINUTE_MS;
  const passedMs = Math.max(RATE_LEAST_MS, now - Math.max(begin, createdAt));
  let changes = 0;
  let net = 0;
  for (const { minute, ...sum } of minutes) {
    if (minute < begin) continue;
    changes += sum.changes;
    net += sum.added - sum.removed;
  }
  const perMinute = (count: number) => (count * MINUTE_MS) / passedMs;
  return { changes: perMinute(changes), net: perMinute(net) };
}

import { describe, expect, test } from 'vitest';
import {
  agoText,
  baselineText,
  countdownText,
  durationText,
  factorText,
  pastDuration,
  runningDuration,
  shortDuration,
  spokenDuration,
} from '@/server/core/format/durations';
import { ageText, latencyText, rangeText, shareLeft } from './durations';

/** With plain spaces, so that the expectations can be read. */
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

test('if room is short a duration has only its largest unit', () => {
  const texts = [6_900, 59_999, 744_000, 11_000_000, 200_000_000].map(shortDuration);
  expect(texts.map(plain)).toEqual(['6 s', '59 s', '12 m', '3 h', '2 d']);
});

describe('a duration takes at most two units', () => {
  test.each([
    [-5, '0 ms'],
    [0, '0 ms'],
    [740, '740 ms'],
    [999.9, '999 ms'],
    [1_000, '1.0 s'],
    [6_149, '6.1 s'],
    [9_999, '9.9 s'],
    [10_000, '10 s'],
    [47_900, '47 s'],
    [64_000, '1 m 04 s'],
    [252_000, '4 m 12 s'],
    [3_599_999, '59 m 59 s'],
    [3_600_000, '1 h 00 m'],
    [12_360_000, '3 h 26 m'],
    [86_400_000, '1 d 0 h'],
    [792_000_000, '9 d 4 h'],
  ])('%d ms reads %s', (ms, text) => {
    expect(plain(durationText(ms))).toBe(text);
  });
});

test('a spoken duration never shows milliseconds or tenths', () => {
  expect(plain(spokenDuration(740))).toBe('0 s');
  expect(plain(spokenDuration(6_940))).toBe('6 s');
  expect(plain(spokenDuration(64_000))).toBe('1 m 04 s');
});

test('a duration under a second is never called 0 s once it is over, nor while it goes on', () => {
  expect([0, 88, 999, 1_000, 6_940].map((ms) => plain(pastDuration(ms)))).toEqual([
    '0 ms',
    '88 ms',
    '999 ms',
    '1 s',
    '6 s',
  ]);
  expect([0, 999, 1_000].map((ms) => plain(runningDuration(ms)))).toEqual([
    'less than 1 s',
    'less than 1 s',
    '1 s',
  ]);
});

test('an age shows tenths while it is below ten seconds', () => {
  expect(plain(ageText(0))).toBe('0.0 s');
  expect(plain(ageText(420))).toBe('0.4 s');
  expect(plain(ageText(41_200))).toBe('41 s');
});

test('less than a second ago is just now', () => {
  expect(agoText(999)).toBe('just now');
  expect(plain(agoText(6_400))).toBe('6 s ago');
});

test('a chosen span keeps the unit it was chosen in', () => {
  expect([1, 15, 60, 240].map((minutes) => plain(rangeText(minutes * 60_000)))).toEqual([
    '1 min',
    '15 min',
    '1 h',
    '4 h',
  ]);
});

test.each([
  [26_900, '00:26'],
  [0, '00:00'],
  [599_000, '09:59'],
  [3_850_000, '1:04:10'],
  [93_850_000, '26:04:10'],
  [-38_500, '−00:38'],
  [-247_000, '−04:07'],
])('%d ms left reads %s', (leftMs, text) => {
  expect(countdownText(leftMs)).toBe(text);
});

test('the share left stays between empty and full', () => {
  expect(shareLeft(15_000, 30_000)).toBe(0.5);
  expect(shareLeft(-1, 30_000)).toBe(0);
  expect(shareLeft(90_000, 30_000)).toBe(1);
  expect(shareLeft(10, 0)).toBe(0);
});

test.each([
  [900, '900 ms'],
  [2_600, '2.6 s'],
  [41_000, '41 s'],
  [200_000, '3 m 20 s'],
  [599_000, '9 m 59 s'],
  [35 * 60_000 + 20_000, '35 m'],
  [3.4 * 3_600_000, '3.4 h'],
  [60 * 3_600_000, '2.5 d'],
])('a baseline of %i ms reads %s', (ms, words) => {
  expect(plain(baselineText(ms))).toBe(words);
});

test.each([
  [400, 1_000, '0.4 ×'],
  [1_864_000, 200_000, '9.3 ×'],
  [31_900, 1_000, '31 ×'],
  [5_000_000, 0, '5,000,000 ×'],
])('%i ms against %i ms is %s', (ms, baselineMs, words) => {
  expect(plain(factorText(ms, baselineMs))).toBe(words);
});

test.each([
  [0.24, '0.2 ms'],
  [64.4, '64 ms'],
  [999.6, '999 ms'],
  [1_048, '1.0 s'],
  [61_000, '1 m 01 s'],
])('a latency of %d ms is shown in a unit that suits it', (ms, text) => {
  expect(plain(latencyText(ms))).toBe(text);
});

import { expect, test } from 'vitest';
import { LAB_DEFAULTS } from '@/server/contract/console/lab/lab-race';
import { ArgumentError, readLabArguments } from './lab-arguments';

const IDS = ['row-lock', 'set-nx-px-lock', 'service-lock'];

test('without arguments it is the default load for all strategies', () => {
  expect(readLabArguments([], IDS)).toEqual({
    strategies: IDS,
    settings: LAB_DEFAULTS,
    json: false,
    help: false,
  });
});

test('every setting can be given', () => {
  const typed =
    '--strategies row-lock,service-lock --workers 8 --stock 40 --think-ms 0 --seconds 3 --seed 7 --pause --json';
  expect(readLabArguments(typed.split(' '), IDS)).toEqual({
    strategies: ['row-lock', 'service-lock'],
    settings: { workers: 8, stock: 40, thinkMs: 0, perEntryMs: 3_000, seed: 7, pause: true },
    json: true,
    help: false,
  });
});

test.each([
  ['--stock 0', '--stock must be a whole number from 1 to 100000, not "0".'],
  ['--stock -5', '--stock must be a whole number from 1 to 100000, not "-5".'],
  ['--workers 0', '--workers must be a whole number from 1 to 500, not "0".'],
  ['--workers -1', 'not "-1".'],
  ['--workers 99999999999999999999', 'not "99999999999999999999".'],
  ['--workers 1e3', 'not "1e3".'],
  ['--workers many', 'not "many".'],
  ['--workers', '--workers'],
  ['--seconds 0', '--seconds must be a whole number from 1 to 120, not "0".'],
  ['--think-ms 1.5', 'not "1.5".'],
  ['--strategies row-lok', 'There is no strategy "row-lok". Did you mean row-lock?'],
  ['--strategies row-lock,row-lock', 'The strategy "row-lock" is named twice.'],
  ['--strategies=', 'There is no strategy "".'],
  ['--worker 5', 'Unknown option --worker. Did you mean --workers?'],
  ['fast', 'fast'],
])('a mistake is one line: %s', (typed, message) => {
  const read = () => readLabArguments(typed.split(' '), IDS);
  expect(read).toThrow(ArgumentError);
  expect(read).toThrow(message);
  expect(read).toThrow(/^[^\n]+$/);
});

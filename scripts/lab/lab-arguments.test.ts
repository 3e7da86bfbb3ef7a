import { expect, test } from 'vitest';
import { LAB_DEFAULTS } from '@/server/contract/console/lab/lab-race';
import { ArgumentError, readLabArguments } from './lab-arguments';

const CATALOGUE = [
  { id: 'mutex-before-commit', number: 'F' },
  { id: 'row-lock', number: '2' },
  { id: 'fair-queue-lock', number: '16' },
  { id: 'quorum-lock', number: '16' },
  { id: 'service-lock', number: '' },
];
const IDS = CATALOGUE.map(({ id }) => id);

test('without arguments the race has the default load and all strategies', () => {
  expect(readLabArguments([], CATALOGUE)).toEqual({
    strategies: IDS,
    settings: LAB_DEFAULTS,
    json: false,
    help: false,
  });
});

test('every setting can be given', () => {
  const typed =
    '--strategies row-lock,service-lock --workers 8 --stock 40 --think-ms 0 --seconds 3 ' +
    '--seed 7 --pause --json';
  expect(readLabArguments(typed.split(' '), CATALOGUE)).toEqual({
    strategies: ['row-lock', 'service-lock'],
    settings: { workers: 8, stock: 40, thinkMs: 0, perEntryMs: 3_000, seed: 7, pause: true },
    json: true,
    help: false,
  });
});

test('a number of the catalogue names every strategy that has it', () => {
  const { strategies } = readLabArguments(['--strategies', '16,f,service-lock'], CATALOGUE);
  expect(strategies).toEqual([
    'fair-queue-lock',
    'quorum-lock',
    'mutex-before-commit',
    'service-lock',
  ]);
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
  ['--strategies quorum-lock,16', 'The strategy "quorum-lock" is named twice.'],
  ['--strategies 21', 'There is no strategy "21". --help lists them.'],
  ['--strategies=', 'There is no strategy "".'],
  ['--worker 5', 'Unknown option --worker. Did you mean --workers?'],
  ['fast', 'fast'],
])('a mistake is one line: %s', (typed, message) => {
  const read = () => readLabArguments(typed.split(' '), CATALOGUE);
  expect(read).toThrow(ArgumentError);
  expect(read).toThrow(message);
  expect(read).toThrow(/^[^\n]+$/);
});

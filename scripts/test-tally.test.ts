import { expect, test } from 'vitest';
import { sumUp } from './test-tally.mjs';

const suite = (passed: number, failed: number, skipped = 0, code = failed > 0 ? 1 : 0) => ({
  code,
  tally: { passed, failed, skipped, failures: failed > 0 ? ['what failed'] : [] },
});

test('the closing line adds the suites up', () => {
  expect(sumUp([suite(5, 0), suite(7, 0)])).toEqual({
    line: '12 passed, 0 failed',
    ok: true,
    failures: [],
  });
  expect(sumUp([suite(5, 2), suite(7, 0, 1)])).toEqual({
    line: '12 passed, 2 failed, 1 skipped',
    ok: false,
    failures: ['what failed'],
  });
});

test.each([
  ['ran no test', suite(0, 0)],
  ['skipped all', suite(0, 0, 4)],
  ['left no report', { code: 1, tally: null }],
  ['ended badly though every test passed', suite(3, 0, 0, 1)],
])('a suite that %s is a failure', (_what, bad) =>
  expect(sumUp([suite(5, 0), bad]).ok).toBe(false),
);

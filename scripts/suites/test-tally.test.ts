import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkTally, playwrightTally, sumUp, vitestTally } from './test-tally.mjs';

const suite = (passed: number, failed: number, skipped = 0, code = failed > 0 ? 1 : 0) => ({
  code,
  tally: {
    passed,
    failed,
    skipped,
    failures: failed > 0 ? ['what failed'] : [],
    skips: skipped > 0 ? ['what was skipped'] : [],
  },
});

test('the closing line adds the suites up', () => {
  expect(sumUp([suite(5, 0), suite(7, 0)])).toEqual({
    line: '12 passed, 0 failed',
    ok: true,
    failures: [],
    skips: [],
  });
  expect(sumUp([suite(5, 2), suite(7, 0, 1)])).toEqual({
    line: '12 passed, 2 failed, 1 skipped',
    ok: false,
    failures: ['what failed'],
    skips: ['what was skipped'],
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

function report(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-tally-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'report.json'), JSON.stringify(content));
  return join(folder, 'report.json');
}

test('each check counts as a test, and one that fails is named', () => {
  const checks = report([
    { name: 'Types', ok: true },
    { name: 'Dead code', ok: false },
  ]);
  expect(checkTally(checks)).toMatchObject({
    passed: 1,
    failed: 1,
    failures: ['check: Dead code'],
  });
});

test('failures are named with the first line of their reason, and skipped tests are named', () => {
  const failed = (fullName: string, message: string) => ({
    status: 'failed',
    fullName,
    failureMessages: [message],
  });
  const vitest = report({
    numPassedTests: 1,
    numFailedTests: 1,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [
      { status: 'failed', name: 'broken.test.ts', message: 'No such module', assertionResults: [] },
      {
        status: 'failed',
        name: 'bad.test.ts',
        assertionResults: [
          failed('adds up', 'Error: 2 is not 3\n    at sum'),
          { status: 'passed' },
          { status: 'skipped', fullName: 'needs a terminal' },
        ],
      },
    ],
    errors: [
      {
        message: 'Error: gone\n    at node_modules/run.js:1\n    at call (call.ts:3:2)',
        path: 'bad.test.ts',
        test: 'adds up',
      },
      { message: 'Worker exited' },
    ],
  });
  expect(vitestTally(vitest)).toMatchObject({
    failed: 4,
    failures: [
      'broken.test.ts: No such module',
      'adds up: Error: 2 is not 3',
      'no test caught, during bad.test.ts › adds up: Error: gone at call (call.ts:3:2)',
      'no test caught, during the run: Worker exited',
    ],
    skips: ['needs a terminal'],
  });

  const spec = (title: string, status: string, message?: string) => ({
    title,
    tests: [{ status, results: [{ error: message && { message } }] }],
  });
  const playwright = report({
    stats: { expected: 1, unexpected: 1, flaky: 0, skipped: 0 },
    errors: [{ message: 'Error: The browser could not start\n    at launch' }],
    suites: [
      {
        title: 'page.spec.ts',
        specs: [
          spec('shows', 'expected'),
          spec('hides', 'unexpected', '\u001b[31mToo late\u001b[39m\nat'),
          spec('prints', 'skipped'),
        ],
      },
    ],
  });
  expect(playwrightTally(playwright)).toMatchObject({
    failures: [
      'page.spec.ts › hides: Too late',
      'outside every test: Error: The browser could not start',
    ],
    skips: ['page.spec.ts › prints'],
  });
});

import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/**
 * `{ passed, failed, skipped, failures, skips }` of the checks, from the report of `check.mjs`.
 * Each check counts as a test.
 */
export function checkTally(path) {
  const results = readReport(path);
  if (!results) return null;
  const failed = results.filter(({ ok }) => !ok);
  return {
    passed: results.length - failed.length,
    failed: failed.length,
    skipped: 0,
    skips: [],
    failures: failed.map(({ name }) => `check: ${name}`),
  };
}

/**
 * The same for a vitest run, from its JSON report; `failures` are names, each with the first line
 * of its message, `skips` the names of skipped tests. A file that failed to load counts as one
 * failure, and so does each error that no test caught.
 */
export function vitestTally(path) {
  const report = readReport(path);
  if (!report) return null;
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length + report.errors.length,
    skipped: report.numPendingTests + report.numTodoTests,
    skips: report.testResults.flatMap(({ assertionResults }) =>
      assertionResults
        .filter(({ status }) => SKIPPED.includes(status))
        .map(({ fullName }) => fullName),
    ),
    failures: [
      ...broken.map(({ name, message }) => withReason(name, message)),
      ...report.testResults.flatMap(({ assertionResults }) =>
        assertionResults
          .filter(({ status }) => status === 'failed')
          .map((test) => withReason(test.fullName, test.failureMessages[0])),
      ),
      ...report.errors.map(uncaught),
    ],
  };
}

/** Such an error has no test of its own: where it was thrown is all that leads to it. */
function uncaught({ message, path, test }) {
  const [reason, ...stack] = message.split('\n');
  const frame = stack.find((line) => !line.includes('node_modules')) ?? stack[0] ?? '';
  const during = [path, test].filter(Boolean).join(' › ');
  return withReason(`no test caught, during ${during || 'the run'}`, `${reason} ${frame.trim()}`);
}

const SKIPPED = ['pending', 'skipped', 'todo'];

/** The same for a Playwright run. A test that passed only on a retry counts as failed. */
export function playwrightTally(path) {
  const report = readReport(path);
  if (!report) return null;
  const { expected, unexpected, flaky, skipped } = report.stats;
  return {
    passed: expected,
    failed: unexpected + flaky + report.errors.length,
    skipped,
    skips: report.suites.flatMap((suite) => specsThat(['skipped'], suite)),
    failures: [
      ...report.suites.flatMap((suite) => specsThat(['unexpected', 'flaky'], suite)),
      ...report.errors.map(({ message }) => withReason('outside every test', message)),
    ],
  };
}

/**
 * The names of specs with one of these results in a suite of Playwright's report and its
 * sub-suites.
 */
function specsThat(results, { title, specs = [], suites = [] }) {
  const matches = ({ tests }) => tests.some(({ status }) => results.includes(status));
  const names = [
    ...specs.filter(matches).map((spec) => withReason(spec.title, messageOf(spec))),
    ...suites.flatMap((suite) => specsThat(results, suite)),
  ];
  return names.map((name) => `${title} › ${name}`);
}

const messageOf = ({ tests }) =>
  tests.flatMap(({ results }) => results).find(({ error }) => error)?.error.message;

/** A name with the first line of a message, without colours and stack. */
function withReason(name, message = '') {
  const [line] = stripVTControlCharacters(message).trim().split('\n');
  return line ? `${name}: ${line}` : name;
}

/**
 * Adds suites up: `{ line, ok, failures, skips }`. Each suite is `{ code, tally }`; one that ran no
 * test, left no report, or failed without naming a failure counts as one failure.
 */
export function sumUp(suites) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { code, tally } of suites) {
    const ran = tally !== null && tally.passed + tally.failed > 0;
    total.passed += tally?.passed ?? 0;
    total.skipped += tally?.skipped ?? 0;
    total.failed += tally?.failed ?? 0;
    if (!ran || (code !== 0 && tally.failed === 0)) total.failed += 1;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  return {
    line: `${total.passed} passed, ${total.failed} failed${skipped}`,
    ok: total.failed === 0,
    failures: suites.flatMap(({ tally }) => tally?.failures ?? []),
    skips: suites.flatMap(({ tally }) => tally?.skips ?? []),
  };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

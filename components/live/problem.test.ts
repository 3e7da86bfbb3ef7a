import { expect, it } from 'vitest';
import {
  failureTitleWithoutRetry,
  isOutcomeUnknown,
  problemOf,
  problemOfRest,
  readFailureTitle,
  retryableFailureTitle,
} from './problem';

it('a failed read does not claim that nothing is shown while older data is', () => {
  expect(readFailureTitle(undefined, 'incidents')).toBe('Could not load incidents');
  expect(readFailureTitle({ pages: [] }, 'incidents')).toBe('Showing last known data');
});

const refused = (reason: string, message: string) =>
  Object.assign(new Error(message), { data: { reason, requestId: 'r-1' } });

it('an action during which the server had an error is not reported as not applied', () => {
  const problem = problemOf(refused('INTERNAL', 'Something went wrong.'));
  expect(isOutcomeUnknown(problem)).toBe(true);
  expect(retryableFailureTitle(problem)).toContain('The result is unknown.');
});

it('after an attempt with an unknown outcome, a refused one does not make it known', () => {
  const lost = problemOf(new Error('Failed to fetch'));
  const down = problemOf(refused('BACKEND_DOWN', 'Backend "main" is down.'), lost);
  expect(down).toMatchObject({
    reason: 'UNKNOWN',
    text: 'An earlier attempt may have been applied; the last was not. Backend "main" is down.',
    requestId: 'r-1',
  });
  const invalid = problemOf(refused('INVALID', 'No.'), down);
  expect(isOutcomeUnknown(invalid)).toBe(true);
  expect(problemOf(refused('INVALID', 'No.'), problemOf(refused('CONTENDED', 'Busy.')))).toEqual(
    problemOf(refused('INVALID', 'No.')),
  );
});

it('that nothing was changed is said where the server says it, so not of a read', () => {
  for (const text of [
    'The gate "cache" is not responding. Nothing was changed.',
    'Not read yet.',
  ]) {
    expect(problemOf(refused('BACKEND_DOWN', text)).text).toBe(text);
  }
});

it('an action that failed after a part was done is not reported as having changed nothing', () => {
  const text = 'Backend "main" is down. Nothing was changed.';
  const problem = problemOfRest(refused('BACKEND_DOWN', text));
  expect(problem.text).toBe('Backend "main" is down. Nothing more was changed.');
  expect(failureTitleWithoutRetry(problem, true)).toBe('Only partly applied.');
  expect(failureTitleWithoutRetry(problem)).toBe('Not applied.');
});

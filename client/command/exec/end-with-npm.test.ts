import { afterEach, expect, test, vi } from 'vitest';
import { endWithNpm } from './end-with-npm';

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [{ npm_lifecycle_event: 'npx', npm_lifecycle_script: 'lockyard' }, true],
  [{ npm_lifecycle_event: 'locks', npm_lifecycle_script: 'lockyard watch job' }, true],
  [{ npm_lifecycle_event: 'start', npm_lifecycle_script: 'node server.js' }, false],
  [{}, false],
  // Within a command of a `lockyard exec` that npm started.
  [{ npm_lifecycle_event: 'npx', npm_lifecycle_script: '' }, false],
  [{ npm_lifecycle_event: 'locks', npm_lifecycle_script: '' }, false],
])('a process watches its shell only if npm started it itself: %j', (env, watches) => {
  vi.useFakeTimers();
  endWithNpm(env as NodeJS.ProcessEnv);
  expect(vi.getTimerCount()).toBe(watches ? 1 : 0);
});

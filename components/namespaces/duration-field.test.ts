import { expect, test } from 'vitest';
import { parseDuration } from '@/client/command/terminal/duration';
import { durationInput } from './duration-field';

test.each([0, 100, 1_500, 30_000, 300_000, 86_400_000, 90_061_000])(
  '%i ms are read as they were written',
  (ms) => {
    expect(parseDuration(durationInput(ms))).toBe(ms);
  },
);

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { randomTextPool } from './random-text-pool';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it.each([
  [8, 11],
  [12, 16],
])('texts of %i random bytes have %i characters and are unique', (bytes, length) => {
  const next = randomTextPool(bytes);
  const texts = Array.from({ length: 5_000 }, next);
  expect(new Set(texts).size).toBe(texts.length);
  for (const text of texts) expect(text).toMatch(new RegExp(`^[\\w-]{${length}}$`));
});

it.each([8, 12])(
  'a stored text of %i bytes keeps none of those drawn with it in memory',
  (bytes) => {
    const next = randomTextPool(bytes);
    const kept: string[] = [];
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 512 * 2_000; i += 1) {
      const text = next();
      if (i % 512 === 0) kept.push(text);
    }
    collectGarbage();
    expect((process.memoryUsage().heapUsed - before) / kept.length).toBeLessThan(500);
  },
);

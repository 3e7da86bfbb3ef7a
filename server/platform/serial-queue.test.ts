import { expect, test } from 'vitest';
import { SerialQueue } from './serial-queue';

test('work runs one at a time, in order, also after work that failed', async () => {
  const queue = new SerialQueue();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await Promise.resolve();
    steps.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
    return name;
  };
  const [a, b] = [queue.run(work('a')), queue.run(work('b'))];
  await expect(a).rejects.toThrow('a failed');
  expect(await b).toBe('b');
  await queue.idle();
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

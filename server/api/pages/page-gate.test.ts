import { expect, test } from 'vitest';
import { PageGate } from './page-gate';

const staying = () => new AbortController().signal;

test('at most four pages are rendered at once, and a hundred wait in order', async () => {
  const gate = new PageGate(4, 100);
  const first = await Promise.all(Array.from({ length: 4 }, () => gate.enter(staying())));
  const order: number[] = [];
  const queued = Array.from({ length: 100 }, async (_, i) => {
    const leave = await gate.enter(staying());
    order.push(i);
    return leave;
  });
  expect(await gate.enter(staying())).toBeNull();
  expect([gate.rendering, gate.queued]).toEqual([4, 100]);
  for (const leave of first) leave?.();
  for (const turn of queued) (await turn)?.();
  expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect([gate.rendering, gate.queued]).toEqual([0, 0]);
});

test('a place is freed once, however often its owner leaves', async () => {
  const gate = new PageGate(1, 2);
  const leave = await gate.enter(staying());
  const second = gate.enter(staying());
  const third = gate.enter(staying());
  leave?.();
  leave?.();
  await second;
  expect([gate.rendering, gate.queued]).toEqual([1, 1]);
  (await second)?.();
  (await third)?.();
  expect([gate.rendering, gate.queued]).toEqual([0, 0]);
});

test('a caller that hangs up frees its place in the queue', async () => {
  const gate = new PageGate(1, 1);
  const leave = await gate.enter(staying());
  const caller = new AbortController();
  const turn = gate.enter(caller.signal);
  caller.abort();
  expect(await turn).toBeNull();
  const next = gate.enter(staying());
  leave?.();
  expect(await next).not.toBeNull();
  expect(await gate.enter(caller.signal)).toBeNull();
});

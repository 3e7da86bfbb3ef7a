import { afterEach, expect, it, vi } from 'vitest';
import { followAct, hideAct, unansweredActs } from './unanswered-acts';
import { outcomeText } from './unanswered-note';

afterEach(() => vi.useRealTimers());

const Note = () => null;
const follow = (answer: Promise<unknown>) =>
  followAct({ what: 'Extend', Note }, performance.now(), answer);

/** What is said of an action with this answer. */
async function textAfter(answer: Promise<unknown>): Promise<string> {
  follow(answer);
  const { id } = unansweredActs().at(-1) ?? { id: 0 };
  await answer.catch(() => undefined);
  await Promise.resolve();
  const act = unansweredActs().find((each) => each.id === id);
  hideAct(id);
  return act ? outcomeText(act) : 'hidden';
}

it('an action that was refused is not said to be applied', async () => {
  expect(await textAfter(Promise.resolve({ outcome: 'forced' }))).toMatch(/^Applied\./);
  expect(await textAfter(Promise.resolve(undefined))).toMatch(/^Applied\./);
  for (const refusal of [
    null,
    { outcome: 'changed' },
    { outcome: 'exists' },
    { kind: 'changed' },
  ]) {
    expect(await textAfter(Promise.resolve(refusal))).toMatch(/^Not applied: /);
  }
  const down = Object.assign(new Error('main is down.'), { data: { reason: 'BACKEND_DOWN' } });
  expect(await textAfter(Promise.reject(down))).toBe('Not applied. main is down.');
  expect(await textAfter(Promise.reject(new Error('aborted')))).toBe(
    'The result is unknown. Check the current state before retrying. Server not responding.',
  );
});

it('one that is hidden before its answer is shown again with it', async () => {
  let answer: (given: unknown) => void = () => {};
  follow(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const id = unansweredActs()[0]?.id ?? 0;
  hideAct(id);
  expect(unansweredActs()).toMatchObject([{ outcome: null, isHidden: true }]);
  vi.useFakeTimers();
  answer({ outcome: 'forced' });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(unansweredActs()).toMatchObject([{ outcome: { kind: 'applied' }, isHidden: false }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(unansweredActs()).toEqual([]);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { REST_AFTER_MS, subscribeToTab, tabState, WAKE_MS } from './tab-rest';

const page = Object.assign(new EventTarget(), { hidden: false });
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function follow(isHidden: boolean): string[] {
  page.hidden = isHidden;
  const states: string[] = [];
  stop = subscribeToTab(() => states.push(tabState()));
  return states;
}

function hide(isHidden: boolean) {
  page.hidden = isHidden;
  page.dispatchEvent(new Event('visibilitychange'));
}

test('a tab rests once it has been hidden for a while, and wakes at once when it is seen', () => {
  const states = follow(false);
  expect(tabState()).toBe('awake');
  hide(true);
  vi.advanceTimersByTime(REST_AFTER_MS - 1);
  expect(states).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(states).toEqual(['resting']);
  hide(false);
  expect(states).toEqual(['resting', 'waking']);
  vi.advanceTimersByTime(WAKE_MS);
  expect(states).toEqual(['resting', 'waking', 'awake']);
});

test('a short look at another tab changes nothing', () => {
  const states = follow(false);
  hide(true);
  vi.advanceTimersByTime(REST_AFTER_MS - 1);
  hide(false);
  vi.advanceTimersByTime(REST_AFTER_MS + WAKE_MS);
  expect(states).toEqual([]);
});

test('a tab that is hidden again while it wakes rests again', () => {
  const states = follow(true);
  expect(tabState()).toBe('resting');
  hide(false);
  hide(true);
  vi.advanceTimersByTime(REST_AFTER_MS);
  expect(states).toEqual(['waking', 'resting']);
});

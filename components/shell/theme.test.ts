import { afterEach, expect, it, vi } from 'vitest';
import { subscribeToTheme } from './theme';
import { THEME_STORAGE_KEY } from './theme-script';

afterEach(() => vi.unstubAllGlobals());

it('a theme that is chosen in another tab applies to this one too, and its menu shows it', () => {
  const window = new EventTarget();
  const dataset: { theme?: string } = {};
  const stored = new Map<string, string>();
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', { documentElement: { dataset } });
  vi.stubGlobal('localStorage', { getItem: (key: string) => stored.get(key) ?? null });
  const changed = vi.fn();
  const stop = subscribeToTheme(changed);
  stored.set(THEME_STORAGE_KEY, 'dark');
  window.dispatchEvent(new Event('storage'));
  expect(dataset.theme).toBe('dark');
  stored.clear();
  window.dispatchEvent(new Event('storage'));
  expect(dataset).toEqual({});
  expect(changed).toHaveBeenCalledTimes(2);
  stop();
});

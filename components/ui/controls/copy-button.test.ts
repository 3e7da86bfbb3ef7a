import { afterEach, expect, it, vi } from 'vitest';
import { copyText } from './copy-button';

afterEach(() => vi.unstubAllGlobals());

const clipboardThat = (answers: () => Promise<void>) =>
  vi.stubGlobal('navigator', { clipboard: { writeText: answers } });

it('it never claims to have copied a text that was not copied', async () => {
  clipboardThat(() => Promise.resolve());
  expect(await copyText('a key')).toBe(true);
  clipboardThat(() => Promise.reject(new Error('not allowed')));
  expect(await copyText('a key')).toBe(false);
});

it('without TLS, where browsers have no clipboard, a key is not lost silently', async () => {
  vi.stubGlobal('navigator', {});
  expect(await copyText('a key')).toBe(false);
});

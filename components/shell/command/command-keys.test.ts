import { expect, test } from 'vitest';
import { commandKeys } from './command-keys';

test('a key is named as it is on the reader’s keyboard', () => {
  const on = (system: string) => commandKeys(`Mozilla/5.0 (${system}) AppleWebKit/537.36`);
  expect(on('Macintosh; Intel Mac OS X 10_15_7')).toBe('⌘K');
  expect(on('X11; Linux x86_64')).toBe('Ctrl K');
  expect(on('Windows NT 10.0; Win64; x64')).toBe('Ctrl K');
  expect(commandKeys('')).toBe('Ctrl K');
});

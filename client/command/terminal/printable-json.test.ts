import { expect, test } from 'vitest';
import { printableJson } from './printable';

test('JSON contains no control characters for a terminal, and keeps its meaning', () => {
  const steering = '\u001b[2J \u009b2J \u0085 \u007f \u202e \u2028 \u200b \u{e0001}';
  const value = { owner: steering, 'häs 🔒': [1, 'zoë'] };
  const json = printableJson(value);
  expect(json).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(json).toContain('häs 🔒');
  expect(JSON.parse(json)).toEqual(value);
});

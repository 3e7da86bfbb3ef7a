import { expect, test } from 'vitest';
import { parseDeletionForm } from './deletion-fields';

const form = { namespace: 'jobs', way: 'names', prefix: 'a ', names: ' a\n\nb\n a\n' } as const;

test('names are read one per line exactly as entered, each once', () => {
  const target = { namespace: 'jobs', kind: 'lock', names: [' a', 'b'] };
  expect(parseDeletionForm('lock', form)).toEqual(target);
  expect(parseDeletionForm('lock', { ...form, names: '\n' })).toBe(null);
  const many = Array.from({ length: 201 }, (_, i) => `n${i}`).join('\n');
  expect(parseDeletionForm('lock', { ...form, names: many })).toBe(null);
});

test('a prefix is read exactly as entered', () => {
  const target = { namespace: 'jobs', kind: 'counter', prefix: 'a ' };
  expect(parseDeletionForm('counter', { ...form, way: 'prefix' })).toEqual(target);
});

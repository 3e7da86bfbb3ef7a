import { expect, test } from 'vitest';
import { parseDeletionForm } from './parse-deletion-form';

const typed = { namespace: 'jobs', way: 'names', prefix: 'a ', names: ' a\n\nb\n a\n' } as const;

test('names are taken one a line as they stand, each once', () => {
  expect(parseDeletionForm('lock', typed)).toEqual({
    namespace: 'jobs',
    kind: 'lock',
    names: [' a', 'b'],
  });
  expect(parseDeletionForm('lock', { ...typed, names: '\n' })).toBe(null);
  const many = Array.from({ length: 201 }, (_, i) => `n${i}`).join('\n');
  expect(parseDeletionForm('lock', { ...typed, names: many })).toBe(null);
});

test('a prefix is taken as it stands', () => {
  const chosen = { namespace: 'jobs', kind: 'counter', prefix: 'a ' };
  expect(parseDeletionForm('counter', { ...typed, way: 'prefix' })).toEqual(chosen);
});

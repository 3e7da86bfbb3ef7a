import { expect, test } from 'vitest';
import { z } from 'zod';
import { lockTimelineInput } from '../../contract/console/past/past-inputs';
import { meta, metaKey } from '../../contract/primitives';
import { SERVICE_API } from '../../contract/service-api';
import { parseInput } from './parse-input';

const messageOf = (schema: z.ZodType, input: unknown): string => {
  try {
    parseInput(schema, input);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The input was accepted.');
};

test('of a long list with wrong values, no value is looked at after the first', () => {
  let looked = 0;
  const name = z.string().refine(
    () => {
      looked += 1;
      return false;
    },
    { error: 'must be better', abort: true },
  );
  const schema = z.strictObject({ names: z.array(name) });
  const message = messageOf(schema, { names: Array.from({ length: 1_000 }, () => 'a') });
  expect(message).toBe('names.0: must be better');
  expect(looked).toBe(1);
});

test.each([7, '', 'a\0b', '\ud800', 'x'.repeat(201), 'ä'.repeat(101)])(
  'a thousand wrong names are refused by the first of them (%j)',
  (name) => {
    const names = ['a', ...Array.from({ length: 999 }, () => name)];
    const message = messageOf(SERVICE_API['lock.watch'].input, { names });
    expect(message).toMatch(/^names\.1: [^;]+$/);
  },
);

test('all faults of a short input are named, and of more than five the first five', () => {
  expect(messageOf(SERVICE_API['lock.renew'].input, { leaseMs: 1, token: 0 })).toBe(
    'name: is missing; owner: is missing; ' +
      'token: must be a whole number from 1 to 9007199254740991; ' +
      'leaseMs: must be a whole number from 100 to 86400000',
  );
  const six = messageOf(z.strictObject({ keys: z.array(metaKey) }), { keys: Array(6).fill('') });
  expect(six.split('; ')).toHaveLength(5);
});

test('an accepted input has the defaults of its schema', () => {
  const input = parseInput(SERVICE_API['lock.inspect'].input, { name: 'a' });
  expect(input).toEqual({ namespace: 'default', name: 'a' });
});

test.each([
  [{ '': 'x' }, 'meta: a key must be a text of 1 to 100 bytes of UTF-8'],
  [{ ['k'.repeat(1_000)]: 'x' }, 'meta: a key must be a text of 1 to 100 bytes of UTF-8'],
])('a bad key in meta is refused with what is wrong with it', (value, message) => {
  expect(messageOf(z.object({ meta }), { meta: value })).toContain(message);
});

test.each(['a', 0.5, 999, 2_592_000_001])(
  'a wrong span names the spans there are (%j)',
  (spanMs) => {
    expect(messageOf(lockTimelineInput, { namespace: 'a', name: 'b', spanMs })).toBe(
      'spanMs: must be a whole number from 1000 to 2592000000',
    );
  },
);

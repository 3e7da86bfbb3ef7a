import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUNS } from '@/server/core/testing/property-runs';
import { quickestMs } from '@/server/platform/testing/quickest-ms';
import { refuseRepeatedKeys } from './repeated-keys';

const complaint = (text: string): string | null => {
  try {
    refuseRepeatedKeys(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('an object of a JSON text', () => {
  it('has no key twice where each is another one, however deep or like JSON it is', () => {
    const key = fc.constantFrom('a', 'A', '"', '\\', '":', '{"a":1', ',"a":', ' a', '\n', '');
    const leaf = fc.oneof(key, fc.constantFrom(1, -0, true, null));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        expect(complaint(JSON.stringify(json, null, indent))).toBeNull();
      }),
      RUNS,
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":{"a":2},"a":3}',
    '[{"b":[1,{"c":"}","a":{},\n "\\u0061" : []}]}]',
    '{"a":"\\\\","a":"\\""}',
  ])('has one twice: %s', (text) => {
    expect(complaint(text)).toBe('An object has the field "a" twice.');
  });

  it.each(['', '"', '"a', '"\\', '}', '{"a"', '{"a":1,"a', ']{"a":1}', '{"a\\":1', '{"\\x":1}'])(
    'in a text that is not JSON is left to the parser: %s',
    (text) => expect(complaint(text)).toBeNull(),
  );

  it('is looked for in a time that grows with the text alone, however deep it is', () => {
    const texts = [
      `${'{"":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      `[${'{},'.repeat(80_000)}1]`,
      JSON.stringify(Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [`k${i}`, i]))),
      JSON.stringify({ a: '"\\'.repeat(60_000) }),
    ];
    for (const text of texts) {
      const parsingMs = quickestMs(() => JSON.parse(text));
      expect(quickestMs(() => refuseRepeatedKeys(text))).toBeLessThan(20 * parsingMs);
    }
  });
});

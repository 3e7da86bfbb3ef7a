import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUNS } from '@/server/core/testing/property-runs';
import { quickestMs } from '@/server/platform/testing/quickest-ms';
import { refuseUnsafeKeys } from './unsafe-keys';

const isRefused = (refuse: () => void): boolean => {
  try {
    refuse();
    return false;
  } catch {
    return true;
  }
};

const leaf = fc.oneof(
  fc.constantFrom('__proto__', '"__proto__":', ',"__proto__":1', '{"__proto__":', '\\', '\\"', ''),
  fc.constantFrom(1, true, null),
);
const key = fc.constantFrom('a', '"', '\\', '__proto__x', '{"__proto__"', ', "__proto__" :');
/** A JSON text without `__proto__` keys. */
const plainText = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)));

/** Any of the ways in which JSON can write a text of plain characters. */
const spelling = (text: string) =>
  fc
    .array(fc.constantFrom('plain', 'lower', 'upper'), {
      minLength: text.length,
      maxLength: text.length,
    })
    .map((ways) =>
      [...text]
        .map((char, i) => {
          const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
          if (ways[i] === 'plain') return char;
          return `\\u${ways[i] === 'upper' ? hex.toUpperCase() : hex}`;
        })
        .join(''),
    );

describe('a key of a JSON text', () => {
  it('is not mistaken for __proto__', () => {
    fc.assert(
      fc.property(plainText, (text) => {
        expect(isRefused(() => refuseUnsafeKeys(text))).toBe(false);
      }),
      RUNS,
    );
  });

  it('is recognised as __proto__ in every spelling and position', () => {
    const places = ['{"a":1,%}', '{%}', '[{"b":[{ \n%}]}]', '{"a":"\\\\" ,%}'];
    fc.assert(
      fc.property(spelling('__proto__'), fc.constantFrom(...places), (name, place) => {
        const text = place.replace('%', () => `"${name}" : {"c":1}`);
        expect(isRefused(() => refuseUnsafeKeys(text))).toBe(true);
      }),
      RUNS,
    );
  });

  it('is found in a text of any depth', () => {
    const text = `${'['.repeat(50_000)}{"a":1}${']'.repeat(50_000)}`;
    expect(isRefused(() => refuseUnsafeKeys(text))).toBe(false);
  });

  it('is searched for in about the time of parsing, even in a text with escapes', () => {
    const text = JSON.stringify({ a: ['\u0001', ...Array.from({ length: 100_000 }, () => 1)] });
    const parsingMs = quickestMs(() => JSON.parse(text));
    expect(quickestMs(() => refuseUnsafeKeys(text))).toBeLessThan(5 * parsingMs);
  });
});

const complaint = (text: string): string | null => {
  try {
    refuseUnsafeKeys(text);
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
      expect(quickestMs(() => refuseUnsafeKeys(text))).toBeLessThan(20 * parsingMs);
    }
  });
});

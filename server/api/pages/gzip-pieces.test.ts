import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gzipOf, gzipPiece, plainPiece } from './gzip-pieces';

test('separately compressed pieces form a gzip file with correct checksum and length', async () => {
  const texts = fc.array(
    fc.tuple(fc.string({ maxLength: 2_000, unit: 'grapheme' }), fc.boolean(), fc.nat(40)),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(texts, async (parts) => {
      const whole = parts.map(([text, , times]) => Buffer.from(text.repeat(times)));
      const pieces = await Promise.all(
        parts.map(([, isPlain], i) => {
          const text = whole[i] ?? Buffer.alloc(0);
          return isPlain && text.length < 65_536 ? plainPiece(text) : gzipPiece(text);
        }),
      );
      // `gunzip` refuses a wrong checksum or length.
      expect(gunzipSync(Buffer.concat(gzipOf(pieces)))).toEqual(Buffer.concat(whole));
    }),
    { numRuns: 100 },
  );
});

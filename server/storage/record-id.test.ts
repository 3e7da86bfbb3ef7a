import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifiedKey, recordId, recordKey } from './record-id';
import type { RecordKey } from './record-store';

/** A namespace contains neither separator; a name may. */
const keys = fc
  .record({
    namespace: fc.stringMatching(/^[.a-z][a-z0-9-]*$/),
    name: fc.string({ unit: 'binary', minLength: 1 }),
    isCounter: fc.boolean(),
  })
  .map(({ namespace, name, isCounter }): RecordKey => {
    return isCounter ? { namespace, name, kind: 'counter' } : { namespace, name };
  });

describe('a key that keeps its id', () => {
  it('equals a key without it, also as JSON, as a copy and as a spread', () => {
    fc.assert(
      fc.property(keys, (key) => {
        for (const kept of [identifiedKey(key), recordKey(recordId(key))]) {
          expect(kept).toEqual(key);
          expect(JSON.stringify(kept)).toBe(JSON.stringify(key));
          for (const copy of [{ ...kept }, structuredClone(kept)]) {
            expect(copy).toStrictEqual(key);
            expect(recordId(copy)).toBe(recordId(key));
          }
        }
      }),
    );
  });

  it('has the id of its own namespace, name and kind', () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(recordId(identifiedKey(one))).toBe(recordId(one));
        expect(recordId(identifiedKey(one)) === recordId(identifiedKey(other))).toBe(isSame);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { cursorText, parseCursor } from './event-cursor';

describe('the cursor of a page of events', () => {
  const row = { at: Date.UTC(2040, 0), backend: 'default', historyId: 7, place: 3 };

  it.each([
    ['of a row', row],
    ['within a row', { ...row, taken: 2 }],
    ['with the largest id that a history can have', { ...row, historyId: Number.MAX_SAFE_INTEGER }],
  ])('%s is read as it was written', (_, cursor) => {
    expect(parseCursor(cursorText(cursor))).toEqual(cursor);
  });

  it('is refused with an impossible id', () => {
    const text = cursorText({ ...row, historyId: 2 ** 53 });
    expect(() => parseCursor(text)).toThrow('before: must be the `older` of another page.');
  });
});

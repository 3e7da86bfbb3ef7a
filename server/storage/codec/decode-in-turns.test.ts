import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { creation, eventOf, freshKey } from '../conformance/testing/changes';
import { decodeInTurns } from './decode-in-turns';
import { decodeHistory, encodeHistory } from './history-codec';

const row = (id: number, changeCount: number) => {
  const changes = Array.from({ length: changeCount }, (_, i) =>
    creation(freshKey(), { events: [eventOf(1)], writer: `w${i}` }),
  );
  const took = changes.map(({ writer }) => writer).join(',');
  return { id, at: 1_000, changes: encodeHistory(changes), took };
};

describe('a history that is decoded in parts', () => {
  it('is the same as when it is decoded at once', async () => {
    const rows = [row(1, 500), row(2, 0), row(3, 500), row(4, 1)];
    expect(await decodeInTurns(rows)).toEqual(rows.map(decodeHistory));
    expect(await decodeInTurns([])).toEqual([]);
  });

  it('lets other work of the process run between thousands of changes', async () => {
    const decoded = decodeInTurns(Array.from({ length: 20 }, (_, i) => row(i, 250)));
    let isDone = false;
    let turns = 0;
    const waiting = decoded.then(() => {
      isDone = true;
    });
    while (!isDone) {
      turns += 1;
      await setImmediate();
    }
    await waiting;
    expect(turns).toBeGreaterThan(3);
  });
});

import { describe, expect, it } from 'vitest';
import type { HistoryRow } from '../../../storage/record-store';
import { turnsFor } from './commit-turns';

/** How many turns it takes to process as many changes, one by one. */
function turnsOf(changes: number): number {
  const key = { namespace: 'default', name: 'a' };
  const commit = (id: number, some: number): HistoryRow => {
    const all = Array.from({ length: some }, () => ({ key, rev: id, events: [] }));
    return { id, at: 0, changes: all };
  };
  const half = Math.floor(changes / 2);
  const commits = [commit(1, half), commit(2, changes - half)];
  let turns = 1;
  let current = turnsFor(commits);
  for (let i = 0; i < changes; i += 1) {
    if (current.isOver) {
      turns += 1;
      current = turnsFor(commits);
    }
    current.count(1);
  }
  return turns;
}

describe('commits that were read together', () => {
  it('are processed in short turns', () => {
    expect(turnsOf(0)).toBe(1);
    expect(turnsOf(300)).toBe(1);
    expect(turnsOf(301)).toBe(2);
    expect(turnsOf(3_000)).toBe(10);
  });

  it('are processed in at most 20 turns, however many there are', () => {
    for (const changes of [6_000, 6_001, 50_000, 200_000]) expect(turnsOf(changes)).toBe(20);
  });
});

import { describe, expect, it } from 'vitest';
import { ChangeJournal } from './change-journal';

const names = (changes: { name: string }[] | null) => changes?.map(({ name }) => name) ?? null;

describe('the journal of changes', () => {
  it('names every lock that changed since, once, by its last change', () => {
    const journal = new ChangeJournal(0, 1_000);
    for (const [i, name] of ['a', 'b', 'a', 'c'].entries()) {
      journal.add({ name, version: i + 1, by: 2_000 + i });
    }
    expect(names(journal.since(0))).toEqual(['b', 'a', 'c']);
    expect(names(journal.since(2))).toEqual(['a', 'c']);
    expect(names(journal.since(4))).toEqual([]);
    expect(names(journal.sinceInstant(2_001))).toEqual(['a', 'c']);
  });

  it('names a minor change only to those answered elsewhere', () => {
    const journal = new ChangeJournal(0, 1_000);
    journal.add({ name: 'a', version: 1, by: 2_000 });
    journal.add({ name: 'b', version: 2, by: 2_001, isQuiet: true });
    journal.add({ name: 'a', version: 3, by: 2_002, isQuiet: true });
    expect(names(journal.since(0))).toEqual(['a']);
    expect(names(journal.since(1))).toEqual([]);
    expect(names(journal.sinceInstant(2_000))).toEqual(['b', 'a']);
    expect(journal.lastOf('a')?.version).toBe(1);
  });

  it('says so when it does not reach back far enough', () => {
    const journal = new ChangeJournal(7, 1_000);
    expect(journal.since(6)).toBeNull();
    expect(journal.sinceInstant(999)).toBeNull();
    for (let version = 8; version <= 40_000; version += 1) {
      journal.add({ name: `lock-${version}`, version, by: version });
    }
    expect(journal.since(7)).toBeNull();
    expect(journal.sinceInstant(1_001)).toBeNull();
    expect(names(journal.since(39_999))).toEqual(['lock-40000']);
    expect(journal.since(30_000)).toHaveLength(10_000);
  });

  it('names the same changes for some locks as for all', () => {
    const journal = new ChangeJournal(0, 1_000);
    for (let version = 1; version <= 40_000; version += 1) {
      const name = `lock-${(version * 7) % 50}`;
      journal.add({ name, version, by: version, isQuiet: version % 3 === 0 });
    }
    const some = ['lock-1', 'lock-3', 'never'];
    for (const version of [20_000, 39_950, 39_960, 39_980, 40_000]) {
      const all = journal.since(version) ?? [];
      const found = journal.sinceOf(some, version) ?? [];
      expect(new Set(found)).toEqual(new Set(all.filter(({ name }) => some.includes(name))));
    }
    expect(journal.sinceOf(some, 0)).toBeNull();
  });

  it('misses nothing after an instant even if the clock was set back', () => {
    const journal = new ChangeJournal(0, 1_000);
    journal.add({ name: 'a', version: 1, by: 5_000 });
    journal.add({ name: 'b', version: 2, by: 3_000 });
    expect(names(journal.sinceInstant(4_000))).toEqual(['a', 'b']);
  });
});

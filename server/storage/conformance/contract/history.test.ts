import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import { created, creation, eventOf, freshKey, swapOne, update } from '../testing/changes';
import { contract, NEVER, wholeHistory } from './contract-suite';

contract('rule 4: history is written in the same step, for applied changes only', (suite) => {
  it('stores exactly the events of an applied change', async () => {
    const key = freshKey();
    const event = {
      ...eventOf(1, 'o\'brien \\ "%"\n\t\u{1f512} jo\u0301b'),
      waitedMs: 12,
      meta: { host: "a'b\\c", note: 'x\u0000y' },
    };
    await created(suite.store, key, { events: [event, eventOf(1, 'second')] });
    expect(await suite.historyOf(key)).toEqual([
      { key, rev: 1, events: [event, eventOf(1, 'second')] },
    ]);
  });

  it('stores nothing of a refused change, even beside an applied one', async () => {
    const [lost, took] = [freshKey(), freshKey()];
    await created(suite.store, lost);
    await suite.store.swap([
      update(lost, { rev: 1, writer: newWriter() }, { events: [eventOf(2)] }),
      creation(took, { events: [eventOf(1)] }),
    ]);
    expect(await suite.historyOf(lost)).toEqual([]);
    expect(await suite.historyOf(took)).toHaveLength(1);
  });

  it('stores nothing of a change that was too late', async () => {
    const key = freshKey();
    const seen = await created(suite.store, key);
    const clock = { past: 0, ahead: 1 };
    await swapOne(suite.store, update(key, seen, { clock, events: [eventOf(2)] }));
    expect(await suite.historyOf(key)).toEqual([]);
  });

  it('assigns rising ids, and returns the last one', async () => {
    const key = freshKey();
    const before = await suite.store.historyEnd();
    await created(suite.store, key, { events: [eventOf(1)] });
    const end = await suite.store.historyEnd();
    expect(end).toBeGreaterThan(before);
    const [row] = await suite.store.historyOf([end, end + 1_000]);
    expect(row).toMatchObject({ id: end, changes: [{ key }] });
    expect(await suite.store.historyAfter(end, 10)).toEqual([]);
    expect(await suite.store.historyOf([])).toEqual([]);
  });

  it('stores the events of all changes of one swap together, each with its record', async () => {
    const keys = [freshKey(), freshKey(), freshKey()];
    const before = await suite.store.historyEnd();
    await suite.store.swap(keys.map((key) => creation(key, { events: [eventOf(1)] })));
    const rows = await suite.other.historyAfter(before, 10);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.changes.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
  });

  it('has the events of applied changes where the swap says', async () => {
    const [lost, took] = [freshKey(), freshKey()];
    await created(suite.store, lost);
    const changes = [
      update(lost, { rev: 1, writer: newWriter() }, { events: [eventOf(2)] }),
      creation(took, { events: [eventOf(1)] }),
      creation(freshKey(), { events: [eventOf(1)] }),
    ];
    const [none, ...said] = await suite.store.swap(changes);
    const alone = creation(freshKey(), { events: [eventOf(1)] });
    const seen = { rev: 1, writer: changes[1]?.writer ?? '' };
    const all = [
      ...said,
      await swapOne(suite.store, alone),
      await swapOne(suite.store, update(took, seen, { events: [eventOf(2)] })),
      ...(await suite.store.swapAll([creation(freshKey(), { events: [eventOf(1)] })])),
    ];
    const keys = [took, changes[2]?.key, alone.key, took];
    expect(none).not.toHaveProperty('historyId');
    for (const [i, { historyId, now }] of all.entries()) {
      if (historyId === undefined) continue;
      const [row] = await suite.store.historyOf([historyId]);
      expect(row?.at).toBe(now);
      if (keys[i]) expect(row?.changes.map(({ key }) => key)).toContainEqual(keys[i]);
    }
    const known = all.filter(({ historyId }) => historyId !== undefined);
    expect(known).toHaveLength(suite.can('namesCommits') ? all.length : 0);
  });

  it('stores nothing of a swap without events', async () => {
    const before = await suite.store.historyEnd();
    await created(suite.store, freshKey());
    expect(await suite.store.historyAfter(before, 10)).toEqual([]);
  });

  it('shows an applied change to every process as soon as it is answered', async () => {
    for (let i = 0; i < 20; i += 1) {
      const [writing, reading] = i % 2 ? [suite.store, suite.other] : [suite.other, suite.store];
      const key = freshKey();
      const before = await reading.historyEnd();
      await created(writing, key, { events: [eventOf(1)] });
      const rows = await reading.historyAfter(before, 10);
      expect(rows.flatMap(({ changes }) => changes.map((change) => change.key))).toEqual([key]);
    }
  });

  it("dates each commit by the store's clock", async () => {
    const end = await suite.store.historyEnd();
    const before = await suite.now();
    await created(suite.store, freshKey(), { events: [eventOf(1)] });
    const [row] = await suite.store.historyAfter(end, 1);
    expect(row?.at).toBeGreaterThanOrEqual(before);
    expect(row?.at).toBeLessThanOrEqual(await suite.now());
  });

  it('is read page by page in the order of its ids, without gaps or repeats', async () => {
    const end = await suite.store.historyEnd();
    const keys = Array.from({ length: 25 }, () => freshKey());
    for (const key of keys) await created(suite.store, key, { events: [eventOf(1)] });
    const ids: number[] = [];
    const sent: string[] = [];
    for (let after = end; ; after = ids.at(-1) ?? after) {
      const page = await suite.other.historyAfter(after, 7);
      expect(page.length).toBeLessThanOrEqual(7);
      if (page.length === 0) break;
      ids.push(...page.map(({ id }) => id));
      sent.push(...page.flatMap(({ changes }) => changes.map(({ key }) => key.name)));
    }
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(sent).toEqual(keys.map(({ name }) => name));
  });

  it('returns those of the requested commits that exist', async () => {
    await created(suite.store, freshKey(), { events: [eventOf(1)] });
    const end = await suite.store.historyEnd();
    const rows = await suite.store.historyOf([end + 5, end]);
    expect(rows.map(({ id }) => id)).toEqual([end]);
  });

  it('is pruned up to a position and an instant, and no further', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      await created(suite.store, freshKey(), { events: [eventOf(1)] });
      ids.push(await suite.store.historyEnd());
    }
    const [, second = 0, third = 0, last = 0] = ids;
    const kept = async () => (await wholeHistory(suite.other)).map(({ id }) => id);
    expect(await suite.store.pruneHistory(last, 1)).toBe(0);
    expect(await kept()).toEqual(expect.arrayContaining(ids));
    let pruned = 0;
    for (let some = 1; some > 0; pruned += some) {
      some = await suite.store.pruneHistory(second, NEVER);
    }
    expect(pruned).toBeGreaterThanOrEqual(2);
    expect(await kept()).toEqual([third, last]);
  });

  it('assigns no id twice, even after all of it was pruned', async () => {
    await created(suite.store, freshKey(), { events: [eventOf(1)] });
    const end = await suite.store.historyEnd();
    while ((await suite.store.pruneHistory(end, NEVER)) > 0);
    await created(suite.other, freshKey(), { events: [eventOf(1)] });
    expect(await suite.store.historyEnd()).toBeGreaterThan(end);
  });
});

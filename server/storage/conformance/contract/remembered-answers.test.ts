import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import { created, creation, eventOf, freshKey, swapOne, update } from '../testing/changes';
import { contract, MINUTE, memoOf, NEVER } from './contract-suite';

contract('rule 5: answers are stored with the record', (suite) => {
  it('stores the answers of an applied change, with it', async () => {
    const key = freshKey();
    const memo = memoOf(
      { token: 2 ** 53 - 1, note: "it's \\ \u{1f512}\n" },
      (await suite.now()) + MINUTE,
    );
    await created(suite.store, key, { memos: [memo] });
    expect(await suite.memosOf(memo.key)).toEqual([memo]);
    const { memos } = await suite.other.read([key], [memo.key, newWriter() + newWriter()]);
    expect(memos).toEqual([memo]);
  });

  it('stores nothing of a refused change, even beside an applied one', async () => {
    const [lost, took] = [freshKey(), freshKey()];
    await created(suite.store, lost);
    const [lostMemo, tookMemo] = [memoOf(1), memoOf(2)];
    await suite.store.swap([
      update(lost, { rev: 1, writer: newWriter() }, { memos: [lostMemo] }),
      creation(took, { memos: [tookMemo] }),
    ]);
    expect(await suite.memosOf(lostMemo.key, tookMemo.key)).toEqual([tookMemo]);
  });

  it('stores no answers of a single refused change, and keeps the existing ones', async () => {
    const key = freshKey();
    const [there, fresh] = [memoOf('first'), memoOf('second')];
    await created(suite.store, key, { memos: [there] });
    const memos = [{ ...there, answer: 'replaced' }, fresh];
    await swapOne(suite.store, update(key, { rev: 1, writer: newWriter() }, { memos }));
    await swapOne(suite.store, creation(key, { memos }));
    expect(await suite.memosOf(there.key, fresh.key)).toEqual([there]);
  });

  it('stores no answer of a refused change whose writer differs only in case', async () => {
    const [lost, took] = [freshKey(), freshKey()];
    await created(suite.store, lost);
    const [lostMemo, tookMemo] = [memoOf(1), memoOf(2)];
    const writer = newWriter();
    const results = await suite.store.swap([
      creation(lost, { writer: writer.toUpperCase(), events: [eventOf(1)], memos: [lostMemo] }),
      creation(took, { writer: writer.toLowerCase(), events: [eventOf(1)], memos: [tookMemo] }),
    ]);
    expect(results.map(({ applied }) => applied)).toEqual([false, true]);
    expect(await suite.memosOf(lostMemo.key, tookMemo.key)).toEqual([tookMemo]);
    expect(await suite.historyOf(lost)).toEqual([]);
    expect(await suite.historyOf(took)).toHaveLength(1);
  });

  it('replaces an answer by a later one', async () => {
    const key = freshKey();
    const memo = memoOf('first');
    const seen = await created(suite.store, key, { memos: [memo] });
    const second = { ...memo, answer: 'second', expiresAt: NEVER + 1 };
    await swapOne(suite.store, update(key, seen, { memos: [second] }));
    expect(await suite.memosOf(memo.key)).toEqual([second]);
  });

  it('extends answers with an applied change, and only then', async () => {
    const key = freshKey();
    const [first, second] = [memoOf(1), memoOf(2)];
    const seen = await created(suite.store, key, { memos: [first, second] });
    const extensions = [{ keys: [first.key, second.key], expiresAt: NEVER + 5 }];
    await swapOne(suite.store, update(key, { rev: 1, writer: newWriter() }, { extensions }));
    expect((await suite.memosOf(first.key))[0]?.expiresAt).toBe(NEVER);
    await swapOne(suite.store, update(key, seen, { extensions }));
    const kept = await suite.memosOf(first.key, second.key);
    expect(kept.map(({ expiresAt }) => expiresAt)).toEqual([NEVER + 5, NEVER + 5]);
  });

  it('extends an answer that another process replaced by one which expires sooner', async () => {
    const key = freshKey();
    const memo = memoOf('waits', NEVER + 9);
    const first = update(key, await created(suite.store, key), { memos: [memo] });
    await swapOne(suite.store, first);
    const granted = { ...memo, answer: 'granted', expiresAt: NEVER };
    const second = update(key, first, { memos: [granted] });
    await swapOne(suite.other, second);
    await suite.store.read([key], []);
    const extensions = [{ keys: [memo.key], expiresAt: NEVER + 5 }];
    await swapOne(suite.store, update(key, second, { extensions }));
    expect(await suite.memosOf(memo.key)).toEqual([{ ...granted, expiresAt: NEVER + 5 }]);
  });

  it('never shortens the lifetime of an answer that another record has extended', async () => {
    const memo = memoOf(1, NEVER + 5);
    await created(suite.store, freshKey(), { memos: [memo] });
    await created(suite.store, freshKey(), {
      extensions: [{ keys: [memo.key], expiresAt: NEVER }],
    });
    expect((await suite.memosOf(memo.key))[0]?.expiresAt).toBe(NEVER + 5);
  });

  it('removes only expired answers', async () => {
    const at = await suite.now();
    const [lapsed, live] = [memoOf(1, at - 1), memoOf(2, at + MINUTE)];
    await created(suite.store, freshKey(), { memos: [lapsed, live] });
    await suite.store.deleteExpiredAnswers();
    expect(await suite.memosOf(lapsed.key, live.key)).toEqual([live]);
  });

  const untilWhen = suite.can('keepsLapsed') ? 'until it is removed' : 'no longer';
  it(`returns an expired answer ${untilWhen}`, async () => {
    const lapsed = memoOf('lapsed', 1);
    await created(suite.store, freshKey(), { memos: [lapsed] });
    expect(await suite.memosOf(lapsed.key)).toEqual(suite.can('keepsLapsed') ? [lapsed] : []);
  });

  it('distinguishes answers whose keys differ only in case', async () => {
    const upper = { ...memoOf('upper'), key: `KEY${'k'.repeat(19)}` };
    const lower = { ...memoOf('lower'), key: `key${'k'.repeat(19)}` };
    await created(suite.store, freshKey(), { memos: [upper, lower] });
    expect(await suite.memosOf(upper.key)).toEqual([upper]);
    expect(await suite.memosOf(lower.key)).toEqual([lower]);
  });

  it('stores the longest answer', async () => {
    const memo = memoOf({ grants: 'g'.repeat(20_000), note: '"\\\u{1f512}' });
    await created(suite.store, freshKey(), { memos: [memo] });
    expect(await suite.memosOf(memo.key)).toEqual([memo]);
  });

  it('creates no answer by extending one that is not stored', async () => {
    const { key } = memoOf(1);
    await created(suite.store, freshKey(), { extensions: [{ keys: [key], expiresAt: NEVER }] });
    expect(await suite.memosOf(key)).toEqual([]);
  });

  it('keeps an answer when its record is deleted', async () => {
    const [key, memo] = [freshKey(), memoOf('stays')];
    const seen = await created(suite.store, key, { memos: [memo] });
    await suite.store.deleteRecords([{ key, ...seen }]);
    expect(await suite.memosOf(memo.key)).toEqual([memo]);
  });
});

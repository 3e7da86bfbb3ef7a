import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import { created, creation, eventOf, freshKey, swapOne, update } from '../testing/changes';
import { contract, MINUTE, NEVER, storedAnswerOf } from './contract-suite';

contract('rule 5: answers are stored with the record', (suite) => {
  it('stores the answers of an applied change, with it', async () => {
    const key = freshKey();
    const storedAnswer = storedAnswerOf(
      { token: 2 ** 53 - 1, note: "it's \\ \u{1f512}\n" },
      (await suite.now()) + MINUTE,
    );
    await created(suite.store, key, { storedAnswers: [storedAnswer] });
    expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([storedAnswer]);
    const { storedAnswers } = await suite.other.read(
      [key],
      [storedAnswer.key, newWriter() + newWriter()],
    );
    expect(storedAnswers).toEqual([storedAnswer]);
  });

  it('stores nothing of a refused change, even beside an applied one', async () => {
    const [lost, took] = [freshKey(), freshKey()];
    await created(suite.store, lost);
    const [lostAnswer, tookAnswer] = [storedAnswerOf(1), storedAnswerOf(2)];
    await suite.store.swap([
      update(lost, { rev: 1, writer: newWriter() }, { storedAnswers: [lostAnswer] }),
      creation(took, { storedAnswers: [tookAnswer] }),
    ]);
    expect(await suite.storedAnswersOf(lostAnswer.key, tookAnswer.key)).toEqual([tookAnswer]);
  });

  it('stores no answers of a single refused change, and keeps the existing ones', async () => {
    const key = freshKey();
    const [there, fresh] = [storedAnswerOf('first'), storedAnswerOf('second')];
    await created(suite.store, key, { storedAnswers: [there] });
    const storedAnswers = [{ ...there, answer: 'replaced' }, fresh];
    await swapOne(suite.store, update(key, { rev: 1, writer: newWriter() }, { storedAnswers }));
    await swapOne(suite.store, creation(key, { storedAnswers }));
    expect(await suite.storedAnswersOf(there.key, fresh.key)).toEqual([there]);
  });

  it('stores no answer of a refused change whose writer differs only in case', async () => {
    const [lost, took] = [freshKey(), freshKey()];
    await created(suite.store, lost);
    const [lostAnswer, tookAnswer] = [storedAnswerOf(1), storedAnswerOf(2)];
    const writer = newWriter();
    const results = await suite.store.swap([
      creation(lost, {
        writer: writer.toUpperCase(),
        events: [eventOf(1)],
        storedAnswers: [lostAnswer],
      }),
      creation(took, {
        writer: writer.toLowerCase(),
        events: [eventOf(1)],
        storedAnswers: [tookAnswer],
      }),
    ]);
    expect(results.map(({ applied }) => applied)).toEqual([false, true]);
    expect(await suite.storedAnswersOf(lostAnswer.key, tookAnswer.key)).toEqual([tookAnswer]);
    expect(await suite.historyOf(lost)).toEqual([]);
    expect(await suite.historyOf(took)).toHaveLength(1);
  });

  it('replaces an answer by a later one', async () => {
    const key = freshKey();
    const storedAnswer = storedAnswerOf('first');
    const seen = await created(suite.store, key, { storedAnswers: [storedAnswer] });
    const second = { ...storedAnswer, answer: 'second', expiresAt: NEVER + 1 };
    await swapOne(suite.store, update(key, seen, { storedAnswers: [second] }));
    expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([second]);
  });

  it('stores the last of several answers to one request in one change', async () => {
    const first = storedAnswerOf('first', NEVER + 1);
    const last = { ...first, answer: 'last', expiresAt: NEVER };
    const storedAnswers = [first, { ...first, answer: 'second' }, last];
    const key = freshKey();
    const seen = await created(suite.store, key, { storedAnswers });
    expect(await suite.storedAnswersOf(first.key)).toEqual([last]);
    await swapOne(suite.store, update(key, seen, { storedAnswers: storedAnswers.toReversed() }));
    expect(await suite.storedAnswersOf(first.key)).toEqual([first]);
  });

  it('extends an answer until the last of several instants, of one change or of two', async () => {
    const storedAnswer = storedAnswerOf(1);
    const until = (...instants: number[]) => ({
      extensions: instants.map((expiresAt) => ({ keys: [storedAnswer.key], expiresAt })),
    });
    const [key, other] = [freshKey(), freshKey()];
    const seen = await created(suite.store, key, { storedAnswers: [storedAnswer] });
    await suite.store.swap([
      update(key, seen, until(NEVER + 5, NEVER + 9, NEVER + 7)),
      creation(other, until(NEVER + 6)),
    ]);
    expect((await suite.storedAnswersOf(storedAnswer.key))[0]?.expiresAt).toBe(NEVER + 9);
  });

  it('extends answers with an applied change, and only then', async () => {
    const key = freshKey();
    const [first, second] = [storedAnswerOf(1), storedAnswerOf(2)];
    const seen = await created(suite.store, key, { storedAnswers: [first, second] });
    const extensions = [{ keys: [first.key, second.key], expiresAt: NEVER + 5 }];
    await swapOne(suite.store, update(key, { rev: 1, writer: newWriter() }, { extensions }));
    expect((await suite.storedAnswersOf(first.key))[0]?.expiresAt).toBe(NEVER);
    await swapOne(suite.store, update(key, seen, { extensions }));
    const kept = await suite.storedAnswersOf(first.key, second.key);
    expect(kept.map(({ expiresAt }) => expiresAt)).toEqual([NEVER + 5, NEVER + 5]);
  });

  it('extends an answer that another process replaced by one which expires sooner', async () => {
    const key = freshKey();
    const storedAnswer = storedAnswerOf('waits', NEVER + 9);
    const first = update(key, await created(suite.store, key), { storedAnswers: [storedAnswer] });
    await swapOne(suite.store, first);
    const granted = { ...storedAnswer, answer: 'granted', expiresAt: NEVER };
    const second = update(key, first, { storedAnswers: [granted] });
    await swapOne(suite.other, second);
    await suite.store.read([key], []);
    const extensions = [{ keys: [storedAnswer.key], expiresAt: NEVER + 5 }];
    await swapOne(suite.store, update(key, second, { extensions }));
    expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([
      { ...granted, expiresAt: NEVER + 5 },
    ]);
  });

  it('never shortens the lifetime of an answer that another record has extended', async () => {
    const storedAnswer = storedAnswerOf(1, NEVER + 5);
    await created(suite.store, freshKey(), { storedAnswers: [storedAnswer] });
    await created(suite.store, freshKey(), {
      extensions: [{ keys: [storedAnswer.key], expiresAt: NEVER }],
    });
    expect((await suite.storedAnswersOf(storedAnswer.key))[0]?.expiresAt).toBe(NEVER + 5);
  });

  it('removes only expired answers', async () => {
    const at = await suite.now();
    const [lapsed, live] = [storedAnswerOf(1, at - 1), storedAnswerOf(2, at + MINUTE)];
    await created(suite.store, freshKey(), { storedAnswers: [lapsed, live] });
    await suite.store.deleteExpiredAnswers();
    expect(await suite.storedAnswersOf(lapsed.key, live.key)).toEqual([live]);
  });

  const untilWhen = suite.can('keepsLapsed') ? 'until it is removed' : 'no longer';
  it(`returns an expired answer ${untilWhen}`, async () => {
    const lapsed = storedAnswerOf('lapsed', 1);
    await created(suite.store, freshKey(), { storedAnswers: [lapsed] });
    expect(await suite.storedAnswersOf(lapsed.key)).toEqual(
      suite.can('keepsLapsed') ? [lapsed] : [],
    );
  });

  it('distinguishes answers whose keys differ only in case', async () => {
    const upper = { ...storedAnswerOf('upper'), key: `KEY${'k'.repeat(19)}` };
    const lower = { ...storedAnswerOf('lower'), key: `key${'k'.repeat(19)}` };
    await created(suite.store, freshKey(), { storedAnswers: [upper, lower] });
    expect(await suite.storedAnswersOf(upper.key)).toEqual([upper]);
    expect(await suite.storedAnswersOf(lower.key)).toEqual([lower]);
  });

  it('stores the longest answer', async () => {
    const storedAnswer = storedAnswerOf({ grants: 'g'.repeat(20_000), note: '"\\\u{1f512}' });
    await created(suite.store, freshKey(), { storedAnswers: [storedAnswer] });
    expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([storedAnswer]);
  });

  it('creates no answer by extending one that is not stored', async () => {
    const { key } = storedAnswerOf(1);
    await created(suite.store, freshKey(), { extensions: [{ keys: [key], expiresAt: NEVER }] });
    expect(await suite.storedAnswersOf(key)).toEqual([]);
  });

  it('keeps an answer when its record is deleted', async () => {
    const [key, storedAnswer] = [freshKey(), storedAnswerOf('stays')];
    const seen = await created(suite.store, key, { storedAnswers: [storedAnswer] });
    await suite.store.deleteRecords([{ key, ...seen }]);
    expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([storedAnswer]);
  });
});

import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import { created, creation, eventOf, freshKey, stored, swapOne, update } from '../testing/changes';
import { contract } from './contract-suite';

contract('rule 3: what is read is never older than what was answered before', (suite) => {
  it('shows a swap to every process as soon as it is answered', async () => {
    const key = freshKey();
    let seen = await created(suite.store, key);
    for (let i = 0; i < 100; i += 1) {
      const [writing, reading] =
        i % 2 === 0 ? [suite.store, suite.other] : [suite.other, suite.store];
      const change = update(key, seen);
      expect((await swapOne(writing, change)).applied).toBe(true);
      expect((await stored(reading, key)).writer).toBe(change.writer);
      seen = { rev: change.rev, writer: change.writer };
    }
  });

  it('reads records in the requested order, with null for those that do not exist', async () => {
    const keys = Array.from({ length: 300 }, () => freshKey());
    await suite.store.swap(
      keys.filter((_, i) => i % 2).map((key) => creation(key, { head: key.name })),
    );
    const { records } = await suite.other.read(keys, []);
    expect(records.map(({ key }) => key)).toEqual(keys);
    expect(records.map(({ record }) => record?.head ?? null)).toEqual(
      keys.map(({ name }, i) => (i % 2 ? name : null)),
    );
  });

  it('reads nothing if nothing is requested', async () => {
    expect(await suite.store.read([], [])).toMatchObject({ records: [], storedAnswers: [] });
  });

  it('reads a record consistently while others write it', async () => {
    const key = freshKey();
    let seen = await created(suite.store, key, { head: 'x'.repeat(2_000), queue: 'x' });
    let isOn = true;
    const reading = (async () => {
      while (isOn) {
        const { head, queue } = await stored(suite.other, key);
        expect(head).toBe(queue.repeat(2_000));
      }
    })();
    for (let i = 0; i < 40; i += 1) {
      const letter = String.fromCharCode(97 + (i % 26));
      const change = update(key, seen, { head: letter.repeat(2_000), queue: letter });
      await swapOne(suite.store, change);
      seen = change;
    }
    isOn = false;
    await reading;
  });
});

contract('rule 7: swapping again tells what became of a lost reply', (suite) => {
  it('finds its own writer if the first swap was applied', async () => {
    const key = freshKey();
    const seen = await created(suite.store, key);
    const first = update(key, seen, { events: [eventOf(2)] });
    await swapOne(suite.store, first);
    const again = await swapOne(suite.store, { ...first, writer: newWriter() });
    expect(again).toMatchObject({ applied: false, current: { rev: 2, writer: first.writer } });
    expect(await suite.historyOf(key)).toHaveLength(1);
  });

  it('succeeds if the first was not applied, and keeps it from being applied later', async () => {
    const key = freshKey();
    const seen = await created(suite.store, key);
    const first = update(key, seen, { head: 'first', events: [eventOf(2)] });
    const again = update(key, seen, { head: 'again', events: [eventOf(2)] });
    expect((await swapOne(suite.other, again)).applied).toBe(true);
    expect((await swapOne(suite.store, first)).applied).toBe(false);
    expect((await stored(suite.store, key)).head).toBe('again');
    expect(await suite.historyOf(key)).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { PendingCommand } from '../pending-command';
import { Batcher, type CommandGroup } from './batcher';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A command that is only passed on: nothing here reads its content. */
const commandOn = (id: string) => ({ id }) as PendingCommand;

describe('a batcher', () => {
  const commits: { ids: string[]; end: () => void }[] = [];
  const batcherOf = (costsPerRecord = false, isEmbedded = false) => {
    commits.length = 0;
    const commit = (groups: CommandGroup[]) =>
      new Promise<void>((end) => {
        commits.push({ ids: groups.map(({ id }) => id), end });
      });
    return new Batcher({ commit }, { costsPerRecord, isEmbedded });
  };
  const submit = (batcher: Batcher, ...ids: string[]) => {
    for (const id of ids) batcher.submit(commandOn(id));
  };
  const numbered = (count: number, name = 'lock') =>
    Array.from({ length: count }, (_, i) => `${name}-${i}`);
  const sent = () => commits.map(({ ids }) => ids.join(''));

  it('sends what arrives in one turn together, and what arrives alone at once', async () => {
    const batcher = batcherOf();
    submit(batcher, 'a', 'b');
    await turn();
    expect(sent()).toEqual(['ab']);
    commits[0]?.end();
    await turn();
    submit(batcher, 'c');
    await turn();
    expect(sent()).toEqual(['ab', 'c']);
  });

  it('sends a second packet beside the first once it is as large', async () => {
    const batcher = batcherOf();
    submit(batcher, ...numbered(50));
    await turn();
    submit(batcher, ...numbered(49, 'late'));
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([50]);
    submit(batcher, 'last');
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([50, 50]);
  });

  it('sends no small packet beside another', async () => {
    const batcher = batcherOf();
    submit(batcher, 'a');
    await turn();
    submit(batcher, ...numbered(31));
    await turn();
    expect(sent()).toEqual(['a']);
    submit(batcher, 'last');
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([1, 32]);
  });

  it('sends a second packet that is nearly full, however full the first is', async () => {
    const batcher = batcherOf();
    submit(batcher, ...numbered(500));
    await turn();
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([256, 244]);
  });

  it("divides what is waiting between two packets if the store's cost is per record", async () => {
    const batcher = batcherOf(true);
    submit(batcher, ...numbered(50));
    await turn();
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([25, 25]);
    commits[0]?.end();
    await turn();
    submit(batcher, ...numbered(25, 'again'));
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([25, 25, 25]);
  });

  it('sends a few records in one packet, whatever the store', async () => {
    const batcher = batcherOf(true);
    submit(batcher, ...numbered(16));
    await turn();
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([16]);
  });

  it.each([
    { records: 23, packets: [23] },
    { records: 24, packets: [16, 8] },
  ])(
    'splits $records records only if the rest is sent at once too',
    async ({ records, packets }) => {
      const batcher = batcherOf(true);
      submit(batcher, ...numbered(records));
      await turn();
      await turn();
      expect(commits.map(({ ids }) => ids.length)).toEqual(packets);
    },
  );

  it('lets no record wait for other packets if the store is embedded', async () => {
    const batcher = batcherOf(false, true);
    submit(batcher, ...numbered(10));
    await turn();
    submit(batcher, 'a', 'lock-3');
    await turn();
    submit(batcher, 'b');
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([10, 1, 1]);
    commits[0]?.end();
    await turn();
    await turn();
    expect(sent().slice(1)).toEqual(['a', 'b', 'lock-3']);
  });

  it('sends what is waiting as soon as the previous packet is done', async () => {
    const batcher = batcherOf();
    submit(batcher, 'a', 'b');
    await turn();
    submit(batcher, 'c');
    await turn();
    commits[0]?.end();
    await turn();
    await turn();
    expect(sent()).toEqual(['ab', 'c']);
  });

  it('lets no hanging packet delay a smaller one', async () => {
    const batcher = batcherOf();
    submit(batcher, 'a', 'b');
    await turn();
    submit(batcher, 'c');
    await expect.poll(sent, { timeout: 5_000, interval: 5 }).toEqual(['ab', 'c']);
  });

  it('sends records that must not share a packet one by one, beside other packets', async () => {
    const batcher = batcherOf();
    batcher.sendAlone(['a', 'b', 'c']);
    submit(batcher, 'a', 'b', 'c', 'd', 'e');
    await turn();
    expect(sent()).toEqual(['a', 'b', 'de']);
    commits[0]?.end();
    await turn();
    await turn();
    expect(sent().slice(3)).toEqual(['c']);
    for (const { end } of [...commits]) end();
    await turn();
    batcher.sendWithOthers('a');
    submit(batcher, 'a', 'd');
    await turn();
    expect(sent().slice(4)).toEqual(['ad']);
  });

  it('sends those first that were not in the last attempt', async () => {
    const batcher = batcherOf();
    batcher.sendAlone(['a', 'b', 'c']);
    batcher.sendAlone(['a']);
    submit(batcher, 'a', 'b', 'c');
    await turn();
    expect(sent()).toEqual(['b', 'c']);
  });

  it('has a record in one packet at a time', async () => {
    const batcher = batcherOf();
    submit(batcher, 'a');
    await turn();
    submit(batcher, 'a', ...numbered(32));
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([1, 32]);
    for (const { end } of [...commits]) end();
    await turn();
    await turn();
    expect(commits.map(({ ids }) => ids.length)).toEqual([1, 32, 1]);
  });
});

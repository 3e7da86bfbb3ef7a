import { describe, expect, it } from 'vitest';
import type { PendingCommand } from '../pending-command';
import { Batcher, type CommandGroup } from './batcher';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A command that is only passed on: nothing here reads its content. */
const commandOn = (id: string) => ({ id }) as PendingCommand;

describe('a lane', () => {
  const flushes: { ids: string[]; end: () => void }[] = [];
  const laneOf = (paysByRecord = false) => {
    flushes.length = 0;
    const flush = (groups: CommandGroup[]) =>
      new Promise<void>((end) => {
        flushes.push({ ids: groups.map(({ id }) => id), end });
      });
    return new Batcher(flush, () => paysByRecord);
  };
  const submit = (lane: Batcher, ...ids: string[]) => {
    for (const id of ids) lane.submit(commandOn(id));
  };
  const numbered = (count: number, name = 'lock') =>
    Array.from({ length: count }, (_, i) => `${name}-${i}`);
  const sent = () => flushes.map(({ ids }) => ids.join(''));

  it('sends what comes in one turn together, and what comes alone at once', async () => {
    const lane = laneOf();
    submit(lane, 'a', 'b');
    await turn();
    expect(sent()).toEqual(['ab']);
    flushes[0]?.end();
    await turn();
    submit(lane, 'c');
    await turn();
    expect(sent()).toEqual(['ab', 'c']);
  });

  it('sends a second packet beside the first once it is as big', async () => {
    const lane = laneOf();
    submit(lane, 'a', 'b', 'c');
    await turn();
    submit(lane, 'd', 'e');
    await turn();
    expect(sent()).toEqual(['abc']);
    submit(lane, 'f');
    await turn();
    expect(sent()).toEqual(['abc', 'def']);
  });

  it('sends a second packet that is nearly full, however full the first is', async () => {
    const lane = laneOf();
    submit(lane, ...numbered(500));
    await turn();
    await turn();
    expect(flushes.map(({ ids }) => ids.length)).toEqual([256, 244]);
  });

  it('shares what is at hand between two packets where a store pays by the record', async () => {
    const lane = laneOf(true);
    submit(lane, ...numbered(50));
    await turn();
    await turn();
    expect(flushes.map(({ ids }) => ids.length)).toEqual([25, 25]);
    flushes[0]?.end();
    await turn();
    submit(lane, ...numbered(25, 'again'));
    await turn();
    expect(flushes.map(({ ids }) => ids.length)).toEqual([25, 25, 25]);
  });

  it('sends a few records in one packet, whatever the store', async () => {
    const lane = laneOf(true);
    submit(lane, ...numbered(16));
    await turn();
    await turn();
    expect(flushes.map(({ ids }) => ids.length)).toEqual([16]);
  });

  it('sends what waits as soon as the packet before it is done', async () => {
    const lane = laneOf();
    submit(lane, 'a', 'b');
    await turn();
    submit(lane, 'c');
    await turn();
    flushes[0]?.end();
    await turn();
    await turn();
    expect(sent()).toEqual(['ab', 'c']);
  });

  it('lets no packet that hangs hold up a smaller one', async () => {
    const lane = laneOf();
    submit(lane, 'a', 'b');
    await turn();
    submit(lane, 'c');
    await expect.poll(sent, { timeout: 5_000, interval: 5 }).toEqual(['ab', 'c']);
  });

  it('has a record in one packet at a time', async () => {
    const lane = laneOf();
    submit(lane, 'a');
    await turn();
    submit(lane, 'a', 'b');
    await turn();
    expect(sent()).toEqual(['a', 'b']);
    flushes[0]?.end();
    await turn();
    await turn();
    expect(sent()).toEqual(['a', 'b', 'a']);
  });
});

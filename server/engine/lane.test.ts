import { describe, expect, it } from 'vitest';
import { type Group, Lane } from './lane';
import type { PendingCommand } from './pending-command';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A command that is only carried: nobody here looks into it. */
const commandOn = (id: string) => ({ id }) as PendingCommand;

describe('a lane', () => {
  const flushes: { ids: string[]; end: () => void }[] = [];
  const laneOf = () => {
    flushes.length = 0;
    return new Lane(
      (groups: Group[]) =>
        new Promise((end) => {
          flushes.push({ ids: groups.map(({ id }) => id), end });
        }),
    );
  };
  const submit = (lane: Lane, ...ids: string[]) => {
    for (const id of ids) lane.submit(commandOn(id));
  };
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

import { describe, expect, it } from 'vitest';
import { restMs, TimeSlice } from './time-slice';

describe('a time slice', () => {
  it('counts its own work, not its waits', async () => {
    let now = 0;
    const work = (ms: number) => {
      now += ms;
    };
    const others = async (ms: number) => {
      await Promise.resolve();
      now += ms;
    };
    const slice = new TimeSlice(
      () => now,
      () => now,
      () => others(100),
    );
    work(2);
    await slice.pause();
    work(1);
    await slice.wait(others(50));
    expect(slice.spentMs).toBe(2 + 1);
    await slice.wait(
      slice.count(async () => {
        work(5);
        await slice.pause();
        work(7);
      }),
    );
    expect(slice.spentMs).toBe(3 + 5 + 7);
  });

  it('begins its time again after each pause', async () => {
    let now = 0;
    const slice = new TimeSlice(
      () => now,
      undefined,
      async () => undefined,
    );
    now += 3;
    expect(slice.isOver).toBe(true);
    await slice.pause();
    expect(slice.isOver).toBe(false);
  });
});

describe('the rest between two slices', () => {
  it('is longer the busier the process is', () => {
    expect([0, 0.3, 0.5, 0.75, 1].map(restMs)).toEqual([7, 7, 7, 17.5, 28]);
  });
});

import { describe, expect, it } from 'vitest';
import { LogFlushing } from './log-flushing';

const FLUSHES = 2;

/** A log whose flushes end when the test says so, in any order. */
class Disk {
  committed = 0;
  /** The newest commit that is surely on the disk. */
  durable = 0;
  private readonly running: { covers: number; end: (error?: Error) => void }[] = [];
  readonly flushing = new LogFlushing(Array.from({ length: FLUSHES }, () => () => this.sync()));

  get runningSyncs(): number {
    return this.running.length;
  }

  /** Commits, and resolves with whether that was on the disk when its flush ended. */
  async commit(): Promise<boolean> {
    this.committed += 1;
    const mine = this.committed;
    await this.flushing.flush();
    return this.durable >= mine;
  }

  /** Ends one of the flushes that run, if any does. */
  async end(which: number, error?: Error): Promise<void> {
    const [ended] = this.running.splice(which % Math.max(1, this.running.length), 1);
    ended?.end(error);
    // What waits for it begins the next one.
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  }

  private sync(): Promise<void> {
    const covers = this.committed;
    return new Promise((resolve, reject) => {
      const end = (error?: Error) => {
        if (error) return reject(error);
        this.durable = Math.max(this.durable, covers);
        resolve();
      };
      this.running.push({ covers, end });
    });
  }
}

/** A fixed sequence of small numbers for each seed. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('flushes that overlap', () => {
  it('acknowledge no commit before a flush that began after it has ended', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = numbersOf(seed);
      const disk = new Disk();
      const commits: Promise<boolean>[] = [];
      for (let step = 0; step < 60; step += 1) {
        if (next(3) > 0) commits.push(disk.commit());
        else await disk.end(next(FLUSHES));
        expect(disk.runningSyncs).toBeLessThanOrEqual(FLUSHES);
      }
      while (disk.runningSyncs > 0) await disk.end(next(FLUSHES));
      expect(new Set(await Promise.all(commits))).toEqual(new Set([true]));
    }
  });

  it('acknowledge nothing more once one of them has failed', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const next = numbersOf(seed);
      const disk = new Disk();
      const commits = Array.from({ length: 3 + next(4) }, () => disk.commit());
      const ended = Promise.allSettled(commits);
      await disk.end(next(FLUSHES), new Error('EIO'));
      await expect(disk.commit()).rejects.toThrow('EIO');
      while (disk.runningSyncs > 0) await disk.end(0);
      const outcomes = (await ended).map(({ status }) => status);
      // The other flush that ran says nothing of the commits after it.
      expect(outcomes.filter((status) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
      expect(disk.flushing.hasFailed).toBe(true);
    }
  });
});

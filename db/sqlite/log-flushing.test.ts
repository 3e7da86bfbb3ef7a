import { describe, expect, it } from 'vitest';
import { LogFlushing } from './log-flushing';
import { LogLost } from './rewrite-log';

const FLUSHES = 2;

/** A log whose flushes end when the test says so, in any order. */
class Disk {
  committed = 0;
  /** The newest commit that is certainly on the disk. */
  durable = 0;
  private readonly running: { covers: number; end: (error?: Error) => void }[] = [];
  /** How long a flush on the event loop takes, and how many there were. */
  tookMs = 0;
  now = 0;
  flushedNow = 0;
  failure: Error | null = null;
  /** How often the log was rewritten, and why it cannot be. */
  rewrites = 0;
  rewriteFailure: Error | null = null;
  readonly flushing = new LogFlushing(
    Array.from({ length: FLUSHES }, () => ({
      sync: () => this.sync(),
      syncNow: () => this.syncNow(),
    })),
    () => this.now,
    (flushAll) => this.rewrite(flushAll),
  );

  get runningSyncs(): number {
    return this.running.length;
  }

  /** Commits, and resolves with whether that was on the disk when its flush ended. */
  async commit(isAlone = false): Promise<boolean> {
    this.committed += 1;
    const mine = this.committed;
    await (isAlone ? this.flushing.flushAlone() : this.flushing.flush());
    return this.durable >= mine;
  }

  /** Ends one of the flushes that run, if any does. */
  async end(which: number, error?: Error): Promise<void> {
    const [ended] = this.running.splice(which % Math.max(1, this.running.length), 1);
    ended?.end(error);
    // Commits that wait for it begin the next one.
    for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
  }

  /** Ends every flush of each descriptor that runs. */
  async endAll(error?: Error): Promise<void> {
    for (let left = this.running.length; left > 0; left -= 1) await this.end(0, error);
  }

  private async rewrite(flushAll: () => Promise<void>): Promise<void> {
    if (this.rewriteFailure) throw this.rewriteFailure;
    this.rewrites += 1;
    await flushAll();
  }

  private syncNow(): void {
    if (this.failure) throw this.failure;
    this.now += this.tookMs;
    this.flushedNow += 1;
    this.durable = this.committed;
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
        if (next(3) > 0) commits.push(disk.commit(next(2) > 0));
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
      disk.rewriteFailure = new Error('EIO');
      while (disk.runningSyncs > 0) await disk.end(0);
      const outcomes = (await ended).map(({ status }) => status);
      // The other flush that ran does not cover the commits after it.
      expect(outcomes.filter((status) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
      expect(disk.flushing.hasFailed).toBe(true);
    }
  });
});

/** Commits one after another, never concurrently. Returns how many the event loop flushed. */
async function commitAlone(disk: Disk, times: number): Promise<number> {
  const before = disk.flushedNow;
  for (let i = 0; i < times; i += 1) {
    const commit = disk.commit(true);
    await disk.end(0);
    expect(await commit).toBe(true);
  }
  return disk.flushedNow - before;
}

describe('the flush of a single commit', () => {
  it('is made on the event loop while the disk is quick', async () => {
    const disk = new Disk();
    disk.tookMs = 0.4;
    expect(await commitAlone(disk, 100)).toBe(100);
  });

  it('is made beside the event loop while another flush runs', async () => {
    const disk = new Disk();
    const first = disk.commit();
    const second = disk.commit(true);
    expect([disk.runningSyncs, disk.flushedNow]).toEqual([2, 0]);
    await disk.end(0);
    await disk.end(0);
    expect(await Promise.all([first, second])).toEqual([true, true]);
  });

  it('delays the event loop hardly at all on a slow disk', async () => {
    const disk = new Disk();
    disk.tookMs = 20;
    expect(await commitAlone(disk, 4_000)).toBeLessThanOrEqual(3);
  });

  it('is made on the event loop again some time after the disk was slow', async () => {
    const disk = new Disk();
    disk.tookMs = 2;
    expect(await commitAlone(disk, 100)).toBe(1);
    disk.tookMs = 0.2;
    await commitAlone(disk, 100);
    expect(await commitAlone(disk, 100)).toBe(100);
  });

  it('acknowledges nothing more once it has failed', async () => {
    const disk = new Disk();
    disk.failure = new Error('EIO');
    await expect(disk.commit(true)).rejects.toThrow('EIO');
    disk.failure = null;
    await expect(disk.commit(true)).rejects.toThrow('EIO');
    await expect(disk.commit()).rejects.toThrow('EIO');
  });
});

describe('a flush that failed', () => {
  /** A disk on which the flush of a commit has failed. */
  async function failedDisk(): Promise<Disk> {
    const disk = new Disk();
    const commit = disk.commit();
    const failed = expect(commit).rejects.toThrow('EIO');
    await disk.end(0, new Error('EIO'));
    await failed;
    return disk;
  }
  const refused = (disk: Disk) => expect(disk.commit()).rejects.toThrow();

  it('is repaired by the next one, which writes and flushes everything again', async () => {
    const disk = await failedDisk();
    await refused(disk);
    expect([disk.runningSyncs, disk.rewrites]).toEqual([FLUSHES, 0]);
    await disk.endAll(new Error('EIO, reported late'));
    expect([disk.runningSyncs, disk.rewrites]).toEqual([FLUSHES, 1]);
    await refused(disk);
    await disk.end(0);
    await refused(disk);
    await disk.end(0);
    const commit = disk.commit();
    await disk.end(0);
    expect(await commit).toBe(true);
    expect(disk.flushing.hasFailed).toBe(false);
  });

  it('stays failed if flushing everything again fails, and is retried a second later', async () => {
    const disk = await failedDisk();
    await refused(disk);
    await disk.endAll();
    await disk.endAll(new Error('EIO again'));
    disk.now += 999;
    await refused(disk);
    expect(disk.runningSyncs).toBe(0);
    disk.now += 1;
    await refused(disk);
    await disk.endAll();
    await disk.endAll();
    expect([disk.rewrites, disk.flushing.hasFailed]).toEqual([2, false]);
  });

  it('is final if what was written can no longer be read', async () => {
    const disk = await failedDisk();
    disk.rewriteFailure = new LogLost('It is gone.');
    await refused(disk);
    await disk.endAll();
    await expect(disk.commit()).rejects.toThrow('It is gone.');
    disk.rewriteFailure = null;
    disk.now += 10_000;
    await refused(disk);
    expect(disk.runningSyncs).toBe(0);
  });
});

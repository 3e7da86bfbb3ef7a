import { describe, expect, it } from 'vitest';
import { CallOverlap } from './call-overlap';

/** Calls that the test ends, on a clock that it moves. */
class Calls {
  now = 0;
  private readonly overlap = new CallOverlap(() => this.now);

  /** Begins a call. The returned function ends it. */
  begin(callers = 1): () => Promise<void> {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const call = this.overlap.during(callers, () => ended);
    return () => {
      end();
      return call;
    };
  }

  /** Whether a call that begins now counts as alone when it ends. */
  async isAlone(callers = 1): Promise<boolean> {
    const end = this.begin(callers);
    const isAlone = this.overlap.isAlone();
    await end();
    return isAlone;
  }
}

describe('a call', () => {
  it('is alone if calls arrive one at a time', async () => {
    const calls = new Calls();
    for (let i = 0; i < 10; i += 1) expect(await calls.isAlone()).toBe(true);
  });

  it('is not alone beside another', async () => {
    const calls = new Calls();
    const end = calls.begin();
    expect(await calls.isAlone()).toBe(false);
    calls.now += 10_000;
    expect(await calls.isAlone()).toBe(false);
    await end();
  });

  it('is not alone if several callers wait for it', async () => {
    expect(await new Calls().isAlone(2)).toBe(false);
  });

  it('is alone again once calls have arrived one at a time for 250 ms', async () => {
    const calls = new Calls();
    await calls.isAlone(2);
    calls.now += 249;
    expect(await calls.isAlone()).toBe(false);
    calls.now += 1;
    expect(await calls.isAlone()).toBe(true);
  });

  it('is not alone while two calls overlap every 200 ms', async () => {
    const calls = new Calls();
    await calls.isAlone(2);
    for (let i = 0; i < 1_000; i += 1) {
      calls.now += 20;
      expect(await calls.isAlone(i % 10 === 9 ? 2 : 1)).toBe(false);
    }
  });

  it('is alone beside a call for which no caller waits', async () => {
    const calls = new Calls();
    const end = calls.begin(0);
    expect(await calls.isAlone()).toBe(true);
    await end();
    expect(await calls.isAlone()).toBe(true);
  });

  it('that failed does not count beside others', async () => {
    const overlap = new CallOverlap(() => 0);
    const failure = overlap.during(1, () => Promise.reject(new Error('gone')));
    await expect(failure).rejects.toThrow('gone');
    expect(overlap.isAlone()).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { TimeBudget } from './time-budget';

describe('the time budget of live lists', () => {
  it('is a fifth of a core: beyond it work waits, and lists count as slowed', () => {
    let now = 1_000;
    const spending = new TimeBudget(() => now);
    let spent = 0;
    // Work of 30 ms each, as often as is allowed but at most ten times a second.
    for (const begun = now; now < begun + 60_000; ) {
      spending.spend(30);
      spent += 30;
      const waitMs = spending.waitMs();
      if (waitMs > 100) spending.noteDelay();
      now += Math.max(100, waitMs);
    }
    expect(spent).toBeGreaterThan(0.18 * 60_000);
    expect(spent).toBeLessThan(0.22 * 60_000);
    expect(spending.isSlowed).toBe(true);
    now += 5_000;
    expect(spending.isSlowed).toBe(false);
    expect(spending.waitMs()).toBe(0);
  });
});

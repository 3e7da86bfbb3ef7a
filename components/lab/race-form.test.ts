import { describe, expect, it } from 'vitest';
import { LAB_DEFAULTS, LAB_PAUSE_MS, type LabEntry } from '@/server/contract/console/lab/lab-race';
import { fieldProblem, longestMs, parseForm, startingForm } from './race-form';

const entry = (id: string, lacks: string | null = null) => ({ id, lacks }) as LabEntry;
const entries = [entry('a'), entry('b'), entry('c', 'Needs Redis.')];

describe('the form of a race', () => {
  it('starts with everything that can run, under the usual load', () => {
    const settings = parseForm(startingForm(null), entries);
    expect(settings).toEqual({ ...LAB_DEFAULTS, strategies: ['a', 'b'] });
    expect(longestMs(settings)).toBe(2 * LAB_DEFAULTS.perEntryMs);
  });

  it('starts with an earlier run’s settings, without what cannot run any more', () => {
    const before = { ...LAB_DEFAULTS, strategies: ['b', 'c', 'gone'], workers: 7, pause: true };
    const settings = parseForm(startingForm(before), entries);
    expect(settings).toEqual({ ...before, strategies: ['b'] });
    expect(longestMs(settings), 'with the pause').toBe(before.perEntryMs + LAB_PAUSE_MS);
  });

  it.each(['0', '-1', '−3', '501', '999999999999', '1.5', '', 'ten', '1e3'])(
    'says at the field that %j is no number of workers',
    (workers) => {
      const form = { ...startingForm(null), workers };
      expect(fieldProblem(form, 'workers')).toBe('Must be a whole number from 1 to 500');
      expect(parseForm(form, entries)).toBeNull();
    },
  );

  it('takes numbers with separators, as it shows them', () => {
    const form = { ...startingForm(null), stock: ' 10,000 ' };
    expect(parseForm(form, entries)?.stock).toBe(10_000);
  });

  it('asks for nothing while nothing is chosen', () => {
    expect(parseForm({ ...startingForm(null), strategies: new Set(['c']) }, entries)).toBeNull();
  });
});

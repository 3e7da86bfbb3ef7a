import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { allowedLeaseMs, checkPolicy } from './check-policy';

const POLICY = {
  ...DEFAULT_POLICY,
  leaseMinMs: 1_000,
  leaseMaxMs: 60_000,
  patienceMaxMs: 5_000,
  requiredMeta: ['team', 'job'],
};
const ASK = { leaseMs: 30_000, waitMs: 0, meta: { team: 'money', job: 'invoices' } };

const refusal = (part: Partial<typeof ASK>) => {
  try {
    checkPolicy('billing', POLICY, { ...ASK, ...part });
    return null;
  } catch (error) {
    return error;
  }
};

describe('the policy of a namespace', () => {
  it('accepts what is within its bounds, inclusive', () => {
    expect(refusal({})).toBe(null);
    expect(refusal({ leaseMs: 1_000, waitMs: 5_000 })).toBe(null);
    expect(refusal({ leaseMs: 60_000 })).toBe(null);
  });

  it.each([
    [{ leaseMs: 999 }, 'leaseMs must be at least 1000 in namespace billing.'],
    [{ leaseMs: 60_001 }, 'leaseMs must be at most 60000 in namespace billing.'],
    [{ waitMs: 5_001 }, 'waitMs must be at most 5000 in namespace billing.'],
    [{ meta: { team: '', job: 'x' } }, 'meta must have "team" in namespace billing.'],
    [{ meta: { team: '', job: '' } }, 'meta must have "team", "job" in namespace billing.'],
  ])('refuses %j, and names the bound', (part, message) => {
    expect(refusal(part)).toMatchObject({ reason: 'INVALID', message });
  });

  it('does not refuse a call with a request id itself, since the lock may have its answer', () => {
    const named = { ...ASK, requestId: 'r1' };
    expect(checkPolicy('billing', POLICY, named)).toBe(null);
    expect(checkPolicy('billing', POLICY, { ...named, leaseMs: 999 })).toEqual({
      sentence: 'leaseMs must be at least 1000 in namespace billing.',
    });
  });

  it('reports the longest allowed wait to a caller that has to wait in parts', () => {
    expect(refusal({ waitMs: 5_001 })).toMatchObject({ waitMaxMs: 5_000 });
    expect(refusal({ leaseMs: 999, waitMs: 5_001 })).toMatchObject({ waitMaxMs: undefined });
    const named = { ...ASK, requestId: 'r1', waitMs: 5_001 };
    expect(checkPolicy('billing', POLICY, named)).toMatchObject({ waitMaxMs: 5_000 });
  });

  it('shortens the lease of a renewal instead of refusing it', () => {
    expect(allowedLeaseMs(POLICY, 90_000)).toBe(60_000);
    expect(allowedLeaseMs(POLICY, 500)).toBe(500);
  });
});

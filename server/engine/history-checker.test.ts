import { describe, expect, it } from 'vitest';
import { checkHistory, type RecordedCall } from './testing/history-checker';

const call = (
  verb: RecordedCall['verb'],
  token: number | null,
  times: [number, number | null],
  parts: Partial<RecordedCall> = {},
): RecordedCall => ({
  lock: 'a',
  verb,
  token,
  startedAt: times[0],
  endedAt: times[1],
  outcome: 'ok',
  leaseMs: 1_000,
  ...parts,
});

const rulesOf = (...calls: RecordedCall[]) => checkHistory(calls).map(({ rule }) => rule);

describe('the history checker finds nothing in', () => {
  it('a correct history', () => {
    const calls = [
      call('acquire', 1, [0, 10]),
      call('acquire', null, [20, 30], { outcome: 'refused' }),
      call('renew', 1, [500, 510]),
      call('release', 1, [1_300, 1_310]),
      call('acquire', 2, [600, 1_305], { requestId: 'r' }),
      call('acquire', 2, [1_310, 1_320], { requestId: 'r' }),
      call('acquire', 3, [2_000, 2_330]),
    ];
    expect(rulesOf(...calls)).toEqual([]);
  });

  it('holds of two locks at once', () => {
    expect(
      rulesOf(call('acquire', 1, [0, 10]), call('acquire', 1, [0, 10], { lock: 'b' })),
    ).toEqual([]);
  });

  it('a successor after a release whose reply was lost', () => {
    const lost = call('release', 1, [100, 200], { outcome: 'unknown' });
    expect(rulesOf(call('acquire', 1, [0, 10]), lost, call('acquire', 2, [110, 150]))).toEqual([]);
  });

  it('a renewal of a lease that a renewal with a lost reply may have prolonged', () => {
    const lost = call('renew', 1, [900, null], { outcome: 'unknown' });
    expect(rulesOf(call('acquire', 1, [0, 10]), lost, call('renew', 1, [1_500, 1_510]))).toEqual(
      [],
    );
  });

  it('a missing token that an acquire with a lost reply may have been granted', () => {
    const lost = call('acquire', null, [20, 40], { outcome: 'unknown' });
    const holds = [
      call('acquire', 1, [0, 10]),
      call('release', 1, [11, 19]),
      call('acquire', 3, [1_500, 1_510]),
    ];
    expect(rulesOf(...holds, lost)).toEqual([]);
  });
});

describe('the history checker finds', () => {
  it('one token granted twice', () => {
    expect(rulesOf(call('acquire', 1, [0, 10]), call('acquire', 1, [0, 10]))).toContain(
      'C1 unique',
    );
  });

  it('one request granted two tokens', () => {
    const twice = [1, 2].map((token) =>
      call('acquire', token, [token * 2_000, token * 2_000 + 10], { requestId: 'r' }),
    );
    expect(rulesOf(...twice)).toEqual(['C1 unique']);
  });

  it('a token lower than an earlier one', () => {
    expect(rulesOf(call('acquire', 2, [0, 10]), call('acquire', 1, [5_000, 5_010]))).toContain(
      'C2 order',
    );
  });

  it('two holders at once', () => {
    expect(rulesOf(call('acquire', 1, [0, 10]), call('acquire', 2, [100, 110]))).toEqual([
      'C3 exclusion',
    ]);
  });

  it('two holders at once after a renewal', () => {
    const calls = [
      call('acquire', 1, [0, 10]),
      call('renew', 1, [900, 910]),
      call('acquire', 2, [1_100, 1_110]),
    ];
    expect(rulesOf(...calls)).toEqual(['C3 exclusion']);
  });

  it('a successor before the release was begun', () => {
    const calls = [
      call('acquire', 1, [0, 10]),
      call('acquire', 2, [20, 30]),
      call('release', 1, [40, 50]),
    ];
    expect(rulesOf(...calls)).toContain('C3 exclusion');
  });

  it('tokens that are missing without an explanation', () => {
    const calls = [
      call('acquire', 1, [0, 10]),
      call('release', 1, [11, 12]),
      call('acquire', 9, [20, 30]),
    ];
    expect(rulesOf(...calls)).toEqual(['C4 gaps']);
  });

  it.each(['renew', 'release', 'reenter'] as const)(
    'a %s by a holder that was overtaken',
    (verb) => {
      const calls = [
        call('acquire', 1, [0, 10]),
        call('acquire', 2, [1_500, 1_510]),
        call(verb, 1, [1_600, 1_610]),
      ];
      expect(rulesOf(...calls)).toContain('C5 no zombie success');
    },
  );

  it.each(['renew', 'release', 'reenter'] as const)('a %s of a lease that had run out', (verb) => {
    expect(rulesOf(call('acquire', 1, [0, 10]), call(verb, 1, [1_100, 1_110]))).toEqual([
      'C5 no zombie success',
    ]);
  });
});

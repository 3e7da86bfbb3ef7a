import { describe, expect, it } from 'vitest';
import { lockListInput } from '../domain/console-inputs';
import type { LockRow } from '../domain/lock-row';
import type { LockStatus } from '../domain/lock-status';
import { makeLockPage } from './lock-page';

const NOW = 1_000_000;

interface Parts {
  namespace?: string;
  status?: LockStatus;
  waiters?: number;
  grantedAt?: number;
  expiresAt?: number;
  oldestWaitAt?: number;
}

const rowOf = (name: string, parts: Parts = {}): LockRow => {
  const { namespace = 'default', status = 'held', waiters = 0 } = parts;
  const { grantedAt = NOW - 1_000, expiresAt = NOW + 1_000, oldestWaitAt = null } = parts;
  const hold = {
    token: 1,
    mode: 'exclusive' as const,
    service: 'orders',
    owner: 'w1',
    holdCount: 1,
    leaseMs: 2_000,
    grantedAt,
    renewedAt: grantedAt,
    renewals: 0,
    expiresAt,
    waitedMs: 0,
    meta: {},
    askedToRelease: null,
    renewalsStopped: null,
  };
  return {
    id: `default/${namespace}/${name}`,
    namespace,
    name,
    backend: 'default',
    rev: 1,
    status,
    hold: status === 'free' ? null : hold,
    holders: status === 'free' ? 0 : 1,
    stuck: null,
    frozen: null,
    delayedUntil: 0,
    ended: null,
    waiters,
    oldestWaitAt,
    ownHold: null,
    readAt: NOW,
  };
};

const ROWS = [
  rowOf('free-1', { status: 'free' }),
  rowOf('held-new', { grantedAt: NOW - 10 }),
  rowOf('held-old', { grantedAt: NOW - 9_000, expiresAt: NOW + 50 }),
  rowOf('expired', { status: 'expired', expiresAt: NOW - 1 }),
  rowOf('unknown', { status: 'unknown' }),
  rowOf('busy', { status: 'contended', waiters: 9, oldestWaitAt: NOW - 5 }),
  rowOf('busier-since', { status: 'contended', waiters: 9, oldestWaitAt: NOW - 500 }),
  rowOf('quiet', { status: 'contended', waiters: 1, oldestWaitAt: NOW - 9_000 }),
  rowOf('held-new', { namespace: 'other', grantedAt: NOW - 10 }),
  rowOf('free-2', { status: 'free' }),
];

const frame = {
  backends: [],
  namespaces: ['default', 'other'],
  ranking: '0',
  slowed: false,
  asOf: NOW,
};
const pageOf = (input: object, rows = ROWS, isFound: (row: LockRow) => boolean = () => true) =>
  makeLockPage([...rows], isFound, lockListInput.parse(input), frame);
const namesOf = (...args: Parameters<typeof pageOf>) =>
  pageOf(...args).rows.map(({ id }) => id.slice('default/'.length));

describe('the lock list', () => {
  it('begins with the worst: expired, unknown, then the longest queue, the longest wait, the longest hold', () => {
    expect(namesOf({})).toEqual([
      'default/expired',
      'default/unknown',
      'default/busier-since',
      'default/busy',
      'default/quiet',
      'default/held-old',
      'default/held-new',
      'other/held-new',
      'default/free-1',
      'default/free-2',
    ]);
  });

  it.each(['worst', 'name', 'held', 'lease', 'waiters'])(
    'is the same whatever order its rows come in, by %s',
    (sort) => {
      for (const descending of [false, true]) {
        const expected = namesOf({ sort, descending });
        expect(new Set(expected).size).toBe(ROWS.length);
        for (let turn = 1; turn < ROWS.length; turn += 1) {
          const turned = [...ROWS.slice(turn), ...ROWS.slice(0, turn)];
          expect(namesOf({ sort, descending }, turned)).toEqual(expected);
          expect(namesOf({ sort, descending }, turned.reverse())).toEqual(expected);
        }
      }
    },
  );

  it('sorts by name, by how long it is held, by what is left of the lease, and by waiters', () => {
    expect(namesOf({ sort: 'name' }).slice(0, 3)).toEqual([
      'default/busier-since',
      'default/busy',
      'default/expired',
    ]);
    expect(namesOf({ sort: 'held' })[0]).toBe('default/held-old');
    expect(namesOf({ sort: 'held' }).slice(-2)).toEqual(['default/free-1', 'default/free-2']);
    expect(namesOf({ sort: 'lease' }).slice(0, 2)).toEqual(['default/expired', 'default/held-old']);
    expect(namesOf({ sort: 'waiters' }).slice(0, 2).sort()).toEqual([
      'default/busier-since',
      'default/busy',
    ]);
  });

  it('filters by status, by namespace and by what is sought, all together', () => {
    expect(namesOf({ status: 'free' })).toEqual(['default/free-1', 'default/free-2']);
    expect(namesOf({ namespace: 'other' })).toEqual(['other/held-new']);
    const found = pageOf({ status: 'held' }, ROWS, ({ name }) => name.includes('new'));
    expect(found.rows).toHaveLength(2);
    expect(found).toMatchObject({ matching: 2, total: ROWS.length });
  });

  it('is read window by window, and past its end there is nothing', () => {
    const whole = namesOf({});
    const windows = [0, 4, 8].flatMap((offset) => namesOf({ offset, limit: 4 }));
    expect(windows).toEqual(whole);
    expect(pageOf({ offset: 99 })).toMatchObject({ rows: [], offset: 99, matching: 10 });
  });

  it('counts every lock, whatever is filtered or cut off', () => {
    const page = pageOf({ namespace: 'other', limit: 1 });
    expect(page.counts).toEqual({
      stuck: 0,
      expired: 1,
      unknown: 1,
      frozen: 0,
      delayed: 0,
      expiring: 0,
      contended: 3,
      held: 3,
      free: 2,
    });
    expect(page).toMatchObject({ total: 10, matching: 1, waiting: 19, asOf: NOW });
    expect(pageOf({ limit: 2 })).toMatchObject({
      matching: 10,
      rows: [{ name: 'expired' }, { name: 'unknown' }],
    });
  });
});

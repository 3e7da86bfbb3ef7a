import { expect, test } from 'vitest';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import { possibleActs } from './possible-acts';

const actsOn = (part: Partial<Pick<LockRow, 'status'>>, hold: Partial<HoldRow> | null = {}) =>
  possibleActs({ status: 'held', ...part, hold: hold as HoldRow | null });

test('a lock of unknown state allows no action, whatever its last state was', () => {
  expect(actsOn({ status: 'unknown' })).toEqual({
    ...{ request: false, extend: false },
    ...{ release: false, freeze: false },
  });
});

test('a dead process is sent no request; its hold can be extended or released', () => {
  const acts = { request: false, extend: true, release: true, freeze: true };
  expect(actsOn({}, { liveness: { state: 'dead' } } as Partial<HoldRow>)).toEqual(acts);
  // The rows of the list have no evidence beside their state.
  expect(actsOn({ status: 'orphaned' })).toEqual(acts);
  const other = { liveness: { state: 'alive' } } as Partial<HoldRow>;
  expect(actsOn({ status: 'orphaned' }, other)).toMatchObject({ request: true });
});

test('a hold that its holder has released can be neither requested nor extended', () => {
  expect(actsOn({}, { releasedAt: 5 } as Partial<HoldRow>)).toEqual({
    ...{ request: false, extend: false },
    ...{ release: true, freeze: true },
  });
});

test('a lock without a holder can only be frozen', () => {
  expect(actsOn({ status: 'free' }, null)).toEqual({
    ...{ request: false, extend: false },
    ...{ release: false, freeze: true },
  });
  expect(actsOn({})).toMatchObject({ request: true, extend: true, release: true });
});

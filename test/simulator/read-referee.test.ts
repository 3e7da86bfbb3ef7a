import { expect, test } from 'vitest';
import type { ListedLock } from '@/server/contract/lock/answers';
import { unwrittenRecord } from '@/server/core/lock/lock-record';
import { LATE_HISTORY_MS, ReadReferee } from './read-referee';

const NOW = 1_000_000;
const ID = 'default/a';

const record = (rev: number) => ({ ...unwrittenRecord(0), rev });
const listed = (rev: number): ListedLock => ({
  name: 'a',
  state: 'free',
  rev,
  holders: [],
  queueLength: 0,
});

/** A lock that changed at `NOW`, and whose store lost its data some time later. */
function lostAfter(ms: number): ReadReferee {
  const referee = new ReadReferee();
  referee.violations(ID, record(1), NOW - 5_000, NOW - 5_000);
  referee.violations(ID, record(2), NOW, NOW);
  referee.replaced(ID, null, NOW + ms);
  return referee;
}

test('a list never has to show a change that was lost before it had to read it', () => {
  const since = NOW + LATE_HISTORY_MS;
  expect(lostAfter(LATE_HISTORY_MS - 1).listed(ID, listed(1), since)).toEqual([]);
});

test('a list that lacks a change for longer than a reading may take is reported', () => {
  const since = NOW + LATE_HISTORY_MS;
  const wrong = ['rev 1 was listed, which the lock did not have then'];
  expect(lostAfter(LATE_HISTORY_MS).listed(ID, listed(1), since)).toEqual(wrong);
});

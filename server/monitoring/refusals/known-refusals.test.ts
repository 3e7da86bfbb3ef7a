import { expect, test } from 'vitest';
import { KnownRefusals, writtenPart } from './known-refusals';

const all = { attempts: 1, token: 7, firstAt: 1_000, lastAt: 1_000 };
const counts = { all, owners: [], others: null };

test('of more than 20,000 locks those that were refused longest ago are forgotten', () => {
  const known = new KnownRefusals();
  const refuse = (lock: number, minute: number) =>
    known.put(`lock ${lock}`, writtenPart({ process: 'p1', minute, counts }));
  for (let lock = 0; lock < 20_000; lock += 1) refuse(lock, 1);
  refuse(0, 2);
  expect(known.of('lock 1')).not.toBeNull();
  refuse(20_000, 2);
  expect(known.of('lock 0')).not.toBeNull();
  expect(known.of('lock 1')).toBeNull();
  expect(known.of('lock 2')).not.toBeNull();
});

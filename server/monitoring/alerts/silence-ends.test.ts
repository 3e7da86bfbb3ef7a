import { expect, it } from 'vitest';
import { SilenceEnds } from './silence-ends';

const silence = (id: string, endsAt: number) => ({
  id,
  endsAt,
  createdAt: 0,
  namespace: 'shop',
  name: 'index',
  by: 'ann',
  reason: 'Maintenance.',
});

it('a silence is ended for good at its end, unless it was ended or changed before', async () => {
  const ended: string[] = [];
  const ends = new SilenceEnds({ end: async ({ id }) => void ended.push(id) });
  await ends.follow([silence('a', 100), silence('b', 100)], 0, 5_000);
  await ends.follow([silence('a', 100)], 50, 5_050);
  await ends.follow([], 100, 5_100);
  await ends.follow([], 200, 5_200);
  expect(ended).toEqual(['a']);
});

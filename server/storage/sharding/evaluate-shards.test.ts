import { describe, expect, it } from 'vitest';
import { parseShardList, type ShardList } from '../../../db/urls/shard-list';
import { evaluateShards, inspectShards } from './evaluate-shards';
import { type FoundStamp, movingStamp, servingStamp, startingStamp } from './shard-map-stamp';

function listOf(text: string): ShardList {
  const list = parseShardList('orders', text);
  if (typeof list === 'string') throw new Error(list);
  return list;
}

const AB = listOf('mysql://a/x,mysql://b/x');
const BC = listOf('mysql://b/x,mysql://c/x,leaving:mysql://a/x');
const [a, b, c] = ['a:3306/x', 'b:3306/x', 'c:3306/x'] as const;

const EMPTY: FoundStamp = { stamp: null, identity: null, isEmpty: true, isInUse: false };
const USED: FoundStamp = { ...EMPTY, isEmpty: false };

/** An inspected shard with this stamp. */
const found = (
  self: string,
  stamp: string,
  generation = 1,
  members: string[] = [a, b],
  lost: string[] = [],
): FoundStamp => ({
  stamp,
  identity: { self, generation, members, lost },
  isEmpty: false,
  isInUse: false,
});
const serving = (self: string, generation = 1) =>
  found(self, servingStamp(AB, generation), generation);

const judge = (list: ShardList, founds: (FoundStamp | null)[]) =>
  evaluateShards(
    'orders',
    list,
    list.shards.map(({ name }, i) => ({ name, found: founds[i] ?? null })),
  );

describe('shards', () => {
  it('are served to every process with the stamped list, even while some are unavailable', () => {
    const verdict = { verdict: 'serve', stamp: servingStamp(AB, 3), generation: 3, grantsFrom: 0 };
    expect(judge(AB, [serving(a, 3), serving(b, 3)])).toEqual(verdict);
    expect(judge(AB, [null, serving(b, 3)])).toEqual(verdict);
  });

  it('are stamped automatically only if all of them respond and all are empty', () => {
    const begun = { ...EMPTY, ...found(a, startingStamp(AB)), isEmpty: true };
    expect(judge(AB, [EMPTY, EMPTY])).toEqual({ verdict: 'begin' });
    expect(judge(AB, [begun, EMPTY])).toEqual({ verdict: 'begin' });
    expect(judge(AB, [serving(a), found(b, startingStamp(AB))])).toEqual({ verdict: 'begin' });
    expect(judge(AB, [EMPTY, null])).toMatchObject({ verdict: 'wait' });
    expect(judge(AB, [null, null])).toMatchObject({ verdict: 'wait' });
    expect(judge(AB, [USED, EMPTY])).toMatchObject({
      verdict: 'refuse',
      why: expect.stringMatching(/a:3306\/x .* contains locks.*lockyard backends reshard orders/),
    });
  });

  const refusals: [string, ShardList, (FoundStamp | null)[], RegExp][] = [
    ['another list is in force', BC, [serving(b), EMPTY], /another list.*a:3306\/x, b:3306\/x/],
    ['a move is under way', AB, [found(a, movingStamp(2), 2), serving(b)], /being resharded/],
    ['another list has begun', AB, [found(a, startingStamp(BC)), EMPTY], /another list/],
    ['one of them has lost its data', AB, [serving(a), EMPTY], /b:3306\/x .* lost its data/],
    ['one was put back from a dump', AB, [serving(a, 2), serving(b, 1)], /an earlier state/],
    [
      'two of them are one database',
      AB,
      [serving(b), serving(b)],
      /a:3306\/x and b:3306\/x .* one/,
    ],
    ['one was renamed', AB, [serving(c), serving(b)], /is known as c:3306\/x.*reshard orders/],
  ];
  it.each(refusals)('serve no caller while %s', (_, list, founds, why) => {
    expect(judge(list, founds)).toEqual({ verdict: 'refuse', why: expect.stringMatching(why) });
  });
});

describe('a reshard', () => {
  const survey = (list: ShardList, founds: Record<string, FoundStamp>) =>
    inspectShards('orders', list, new Map(Object.entries(founds)));

  it('needs the shards of both lists, or is refused', () => {
    const founds = { [a]: serving(a), [b]: serving(b), [c]: EMPTY };
    expect(survey(BC, founds)).toEqual({
      members: [b, c, a],
      lost: [],
      generation: 1,
      grantsFrom: 0,
    });
    const { [a]: _, ...without } = founds;
    expect(survey({ ...BC, leaving: [] }, without)).toMatch(/a:3306\/x, which is not named here/);
  });

  it('is refused if there is nothing to do, or if a server does not know of shards', () => {
    const served = { [a]: serving(a), [b]: serving(b) };
    expect(survey(AB, served)).toMatch(/is served with this list already/);
    expect(survey(AB, { [a]: { ...USED, isInUse: true }, [b]: EMPTY })).toMatch(
      /Stop every such server/,
    );
    expect(survey(AB, { [a]: USED, [b]: EMPTY })).toMatchObject({ generation: 0, lost: [] });
  });

  it('treats a recreated or restored shard as one that lost its grants', () => {
    expect(survey(AB, { [a]: serving(a, 2), [b]: EMPTY })).toMatchObject({ lost: [b] });
    expect(survey(AB, { [a]: serving(a, 2), [b]: serving(b, 1) })).toMatchObject({ lost: [b] });
  });

  it('that was interrupted remembers which shards lost data, and treats no other one so', () => {
    const moving = found(a, movingStamp(2), 2, [a, b], [a]);
    expect(survey(AB, { [a]: moving, [b]: serving(b, 1) })).toMatchObject({ lost: [a] });
  });

  it('that was interrupted treats only reached shards that were recreated since as lost', () => {
    const all = [b, c, a];
    const begun = found(c, movingStamp(0), 0, all);
    const moving = found(a, movingStamp(2), 2, all);
    expect(survey(BC, { [a]: moving, [b]: serving(b), [c]: begun })).toMatchObject({ lost: [] });
    expect(survey(BC, { [a]: moving, [b]: EMPTY, [c]: begun })).toMatchObject({ lost: [b] });
    const restamped = found(b, movingStamp(0), 0, all, [b]);
    expect(survey(BC, { [a]: moving, [b]: restamped, [c]: begun })).toMatchObject({ lost: [b] });
    const first = { [a]: found(a, movingStamp(0), 0, all), [b]: USED, [c]: EMPTY };
    expect(survey(BC, first)).toMatchObject({ lost: [], generation: 0 });
  });

  it('recognises a renamed shard by the name in its stamp', () => {
    const renamed = { [c]: serving(a), [b]: serving(b) };
    const list = { ...BC, leaving: [] };
    expect(survey(list, renamed)).toMatchObject({ members: [b, c], lost: [] });
  });
});

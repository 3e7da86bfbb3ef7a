import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRouterState } from './router-state';

const { parseAndValidateFlightRouterState } = createRequire(import.meta.url)(
  'next/dist/server/app-render/parse-and-validate-flight-router-state',
) as { parseAndValidateFlightRouterState(header: string): unknown };

const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value) ?? 'undefined');

function isReadByNext(header: string): boolean {
  try {
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
}

const segments = fc.oneof(
  { arbitrary: fc.constantFrom('', '__PAGE__', '(console)', 'é'), weight: 6 },
  fc.tuple(
    fc.string(),
    fc.string(),
    fc.constantFrom('d', 'c', 'oc', 'di(..)', 'x'),
    fc.oneof(fc.constant(null), fc.array(fc.string()), fc.constant(3)),
  ),
  fc.constantFrom(null, 3, [], {}),
);
const rests = fc.array(
  fc.constantFrom(null, null, 'refetch', 'metadata-only', 7, 'x', ['a', 'b'], ['a'], {}),
  { maxLength: 5 },
);

/** Values like a router state, sometimes with a mistake. */
function nearlyTrees(depth: number): fc.Arbitrary<unknown> {
  const slots =
    depth === 0
      ? fc.constantFrom({}, {}, {}, [], null)
      : fc.dictionary(fc.string(), nearlyTrees(depth - 1), { maxKeys: 2 });
  return fc
    .tuple(segments, slots, rests)
    .map(([segment, found, rest]) => [segment, found, ...rest]);
}

test('exactly those router states are accepted that Next can read', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyTrees(3), nearlyTrees(0), fc.jsonValue()), (value) => {
      const header = encoded(value);
      expect(isRouterState(header)).toBe(isReadByNext(header));
    }),
    { numRuns: 2_000 },
  );
});

test('a very deeply nested router state is refused without a stack overflow', () => {
  const deep = (depth: number) => `${'["",{"c":'.repeat(depth)}["",{}]${'}]'.repeat(depth)}`;
  expect(isRouterState(deep(10))).toBe(true);
  expect(isRouterState(deep(1_000))).toBe(false);
  expect(isRouterState(`${'['.repeat(39_000)}`)).toBe(false);
});

test.each(['garbage', '%', '%5B', 'null', '%5B%5D', `%5B%22${'x'.repeat(40_000)}%22%5D`])(
  'a broken state is refused (%#)',
  (header) => {
    expect(isRouterState(header)).toBe(false);
  },
);

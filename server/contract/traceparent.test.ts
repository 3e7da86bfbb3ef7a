import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceIds, traceLink } from './trace-link';
import { readTraceparent } from './traceparent';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

test.each([VALID, `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-03`])(
  'a header of version 00 is kept as it is: %s',
  (header) => {
    expect(readTraceparent(header)).toBe(header);
  },
);

test.each([
  ['upper case', VALID.toUpperCase()],
  ['no trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['no span', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a trace id that is too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['no flags', `00-${TRACE}-${SPAN}`],
  ['more than version 00 has', `${VALID}-more`],
  ['two headers, as Node joins them', `${VALID}, ${VALID}`],
  ['space around it', ` ${VALID}`],
  ['a line after it', `${VALID}\n`],
  ['the version that is forbidden', `ff-${TRACE}-${SPAN}-01`],
  ['a version that is not hexadecimal', `0x-${TRACE}-${SPAN}-01`],
  ['a later version that goes on without a dash', `01-${TRACE}-${SPAN}-01more`],
  ['a later version in upper case', `01-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a list', [VALID]],
  ['none', undefined],
])('is ignored: %s', (_, header) => {
  expect(readTraceparent(header)).toBeUndefined();
});

test('of a later version the ids and the sampled flag are kept, in the form of version 00', () => {
  expect(readTraceparent(`01-${TRACE}-${SPAN}-01`)).toBe(VALID);
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-fe-what-the-future-holds`)).toBe(
    `00-${TRACE}-${SPAN}-00`,
  );
});

test('whatever is sent, what is stored is valid, with two ids', () => {
  const near = fc
    .tuple(fc.integer({ min: 0, max: VALID.length - 1 }), fc.string({ maxLength: 2 }))
    .map(([at, text]) => VALID.slice(0, at) + text + VALID.slice(at + text.length));
  fc.assert(
    fc.property(fc.oneof(fc.string(), near), (header) => {
      const kept = readTraceparent(header);
      if (kept === undefined) return;
      expect(kept).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
      expect(traceIds(kept)).toMatchObject({
        traceId: kept.slice(3, 35),
        spanId: kept.slice(36, 52),
      });
    }),
  );
});

test('a link has the ids in their places, and is marked as sampled only if it is', () => {
  const template = 'https://tempo.internal/trace/{traceId}?span={spanId}&again={traceId}';
  expect(traceLink(template, VALID)).toBe(
    `https://tempo.internal/trace/${TRACE}?span=${SPAN}&again=${TRACE}`,
  );
  expect(traceLink(template, '00-%/?-"<x>-01')).toBe(
    'https://tempo.internal/trace/%25%2F%3F?span=%22%3Cx%3E&again=%25%2F%3F',
  );
  expect(traceIds(VALID).isSampled).toBe(true);
  expect(traceIds(`00-${TRACE}-${SPAN}-02`).isSampled).toBe(false);
});

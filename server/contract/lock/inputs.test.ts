import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUNS } from '../../core/testing/property-runs';
import { LEASE_MAX_MS, LEASE_MIN_MS, WAIT_MAX_MS } from '../namespace-policy';
import { acquireInput, cancelInput, checkInput, releaseInput, renewInput } from './inputs';

const GOOD = { name: 'invoices/42', owner: 'orders-7f9c:worker-3', leaseMs: 10_000 };

const accepts = (change: object) => acquireInput.safeParse({ ...GOOD, ...change }).success;

describe('an acquire’s input', () => {
  it('needs a name, an owner and a lease; the rest has defaults', () => {
    expect(acquireInput.parse(GOOD)).toEqual({
      ...GOOD,
      namespace: 'default',
      waitMs: 0,
      mode: 'exclusive',
      reentrant: false,
      meta: {},
    });
    for (const missing of Object.keys(GOOD)) expect(accepts({ [missing]: undefined })).toBe(false);
  });

  const permit = { mode: 'permit', permits: 3, capacity: 10 };

  it.each([
    ['as many permits as the capacity', { permits: 10 }, true],
    ['one permit, if it names no number', { permits: undefined }, true],
    ['more permits than the capacity', { permits: 11 }, false],
    ['no permits', { permits: 0 }, false],
    ['permits that are not whole', { permits: 1.5 }, false],
    ['permits as a text', { permits: '3' }, false],
    ['no capacity', { capacity: undefined }, false],
    ['no capacity and one permit', { capacity: undefined, permits: undefined }, false],
    ['a capacity of 0', { permits: undefined, capacity: 0 }, false],
    ['a capacity below 0', { permits: undefined, capacity: -1 }, false],
    ['a capacity of 10,000', { capacity: 10_000 }, true],
    ['a capacity above that', { capacity: 10_001 }, false],
    ['a capacity that is not whole', { capacity: 10.5 }, false],
    ['permits in another mode', { mode: 'shared', capacity: undefined }, false],
    ['a capacity in another mode', { mode: undefined, permits: undefined }, false],
  ])('in mode permit may have %s, or not (%#)', (_, change, isGood) => {
    expect(accepts({ ...permit, ...change })).toBe(isGood);
  });

  it.each([
    ['of 200 bytes', 'ü'.repeat(100), true],
    ['of 201 bytes', `${'ü'.repeat(100)}x`, false],
    ['that is empty', '', false],
    ['with NUL', 'a\0b', false],
    ['with a lone surrogate', 'a\ud800', false],
    ['with spaces at its ends', ' a ', true],
    ['of control characters and emoji', '\u0001\n😀', true],
    ['that is no text', 7, false],
  ])('has a name, but not one %s', (_, name, isGood) => {
    expect(accepts({ name })).toBe(isGood);
  });

  it('keeps every name byte by byte', () => {
    const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(!name.includes('\0'));
        expect(acquireInput.parse({ ...GOOD, name }).name).toBe(name);
      }),
      RUNS,
    );
  });

  it.each([0, -1, LEASE_MIN_MS - 1, LEASE_MAX_MS + 1, 1e308, 100.5, Number.NaN, Infinity, '1000'])(
    'has no lease of %s',
    (leaseMs) => {
      expect(accepts({ leaseMs })).toBe(false);
    },
  );

  it('may wait up to ten minutes, over 25 s only with a request id', () => {
    expect(accepts({ waitMs: 25_000 })).toBe(true);
    expect(accepts({ waitMs: 25_001 })).toBe(false);
    expect(accepts({ waitMs: WAIT_MAX_MS, requestId: 'r1' })).toBe(true);
    expect(accepts({ waitMs: WAIT_MAX_MS + 1, requestId: 'r1' })).toBe(false);
  });

  it('has meta of text, at most 1 KB of it', () => {
    expect(accepts({ meta: { host: 'a', pid: '7' } })).toBe(true);
    expect(accepts({ meta: { pid: 7 } })).toBe(false);
    expect(accepts({ meta: { a: 'x'.repeat(1_016) } })).toBe(true);
    expect(accepts({ meta: { a: 'x'.repeat(1_017) } })).toBe(false);
  });

  it('cannot reach an object’s prototype through meta', () => {
    const { meta } = acquireInput.parse(JSON.parse(POLLUTING));
    expect(Object.getPrototypeOf(meta)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBe(undefined);
  });

  it('has no unknown field', () => {
    expect(accepts({ token: 1 })).toBe(false);
  });
});

const POLLUTING = JSON.stringify(GOOD).replace('}', ',"meta":{"__proto__":"x","a":"b"}}');

describe('a token', () => {
  it.each([0, -1, 1.5, 2 ** 53, '7', null])('is not %s', (token) => {
    expect(checkInput.safeParse({ name: 'a', token }).success).toBe(false);
  });

  it('is any positive integer that is exact', () => {
    for (const token of [1, Number.MAX_SAFE_INTEGER]) {
      expect(checkInput.parse({ name: 'a', token }).token).toBe(token);
      expect(releaseInput.parse({ name: 'a', owner: 'o', token }).token).toBe(token);
      expect(renewInput.parse({ name: 'a', owner: 'o', token, leaseMs: 100 }).token).toBe(token);
    }
  });
});

it('a cancel names the request that it undoes', () => {
  expect(cancelInput.safeParse({ name: 'a', owner: 'o' }).success).toBe(false);
  expect(cancelInput.safeParse({ name: 'a', owner: 'o', requestId: 'r' }).success).toBe(true);
});

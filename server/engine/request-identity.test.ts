import { expect, test } from 'vitest';
import { anonymousRequest, requestIdentity } from './request-identity';

const scope = { service: 'orders', verb: 'acquire', namespace: 'default', name: 'job' };
const ask = (requestId: string, input: Record<string, unknown>) =>
  requestIdentity({ ...scope, requestId, input });

test('the same request has the same identity in whatever order its input is written', () => {
  const one = ask('r1', { owner: 'a', meta: { host: 'h', pid: '1' } });
  expect(ask('r1', { meta: { pid: '1', host: 'h' }, owner: 'a' })).toEqual(one);
});

test('a changed input is recognised; another service, verb, lock or id is another request', () => {
  const one = ask('r1', { owner: 'a', meta: { host: 'h' } });
  const other = ask('r1', { owner: 'a', meta: { host: 'g' } });
  expect(other.key).toBe(one.key);
  expect(other.inputHash).not.toBe(one.inputHash);
  expect(ask('r2', { owner: 'a' }).key).not.toBe(one.key);
  for (const part of ['service', 'verb', 'namespace', 'name'] as const) {
    const elsewhere = requestIdentity({ ...scope, [part]: 'other', requestId: 'r1', input: {} });
    expect(elsewhere.key).not.toBe(one.key);
  }
});

test('requests without an id are all different', () => {
  const keys = new Set(Array.from({ length: 10_000 }, () => anonymousRequest().key));
  expect(keys.size).toBe(10_000);
});

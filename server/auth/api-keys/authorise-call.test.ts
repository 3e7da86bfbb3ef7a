import { describe, expect, test } from 'vitest';
import type { KeyLimits } from '../../contract/key-limits';
import { KEY_VERBS } from '../../contract/key-verbs';
import { SERVICE_API, type ServiceProcedureName } from '../../contract/service-api';
import type { ServiceActor } from '../actor';
import { authoriseCall, visiblePrefix } from './authorise-call';

const actor = (limits?: KeyLimits): ServiceActor => ({
  kind: 'service',
  keyId: 'k',
  service: 'orders',
  namespaces: ['jobs'],
  ...(limits && { limits }),
});
const names = Object.keys(SERVICE_API) as ServiceProcedureName[];
const acquire = (limits: KeyLimits, ...wanted: string[]) =>
  authoriseCall(actor(limits), {
    procedure: 'lock.acquireMany',
    namespace: 'jobs',
    names: wanted,
  });

test.each(names)('%s needs its own verb of a key with verbs, and no other', (procedure) => {
  const { verb } = SERVICE_API[procedure];
  const call = { procedure, namespace: 'jobs', names: ['a'] };
  expect(() => authoriseCall(actor(), call)).not.toThrow();
  if (verb === null) return;
  expect(() => authoriseCall(actor({ verbs: [verb] }), call)).not.toThrow();
  const others = KEY_VERBS.filter((each) => each !== verb);
  expect(() => authoriseCall(actor({ verbs: others }), call)).toThrow(
    expect.objectContaining({ reason: 'FORBIDDEN', detail: 'missingVerb' }),
  );
});

test('another namespace is refused, whatever else a key may do', () => {
  for (const namespace of ['job', 'jobs2', 'JOBS', '', 'default']) {
    const call = { procedure: 'lock.inspect', namespace, names: ['a'] } as const;
    expect(() => authoriseCall(actor(), call), namespace).toThrow(
      expect.objectContaining({ reason: 'FORBIDDEN', detail: 'missingNamespace' }),
    );
  }
});

test.each([
  [['jobs'], 'This API key is for namespace "jobs", not for "default".'],
  [['a', 'b'], 'This API key is for namespaces "a", "b", not for "default".'],
  [
    ['a', 'b', 'c', 'd', 'e', 'f'],
    'This API key is for namespaces "a", "b", "c", "d", "e", 1 more, not for "default".',
  ],
])('a refusal names the namespaces that a key is for: %j', (namespaces, message) => {
  const call = { procedure: 'lock.inspect', namespace: 'default', names: ['a'] } as const;
  expect(() => authoriseCall({ ...actor(), namespaces }, call)).toThrow(message);
});

describe('a prefix is compared byte by byte', () => {
  test.each([
    ['a:', 'a:'],
    ['a:', 'a:b'],
    ['a:', 'a:../b'],
    ['é', 'éa'],
    ['😀', '😀😀'],
    ['a ', 'a  '],
    ['\u{1}', '\u{1}x'],
  ])('%j allows %j', (prefix, name) => {
    expect(() => acquire({ prefix }, name)).not.toThrow();
  });

  test.each([
    ['a:', 'a'],
    ['a:', 'A:b'],
    ['a:', ' a:b'],
    ['a:', '../a:b'],
    ['a:', 'a：b'],
    ['a:', 'ａ:b'],
    ['a:', '\u200ba:b'],
    ['a:', 'a\u0301:b'],
    ['é', 'e\u0301a'],
    ['e\u0301', 'é'],
    ['a/b/', 'a/./b/c'],
    ['a/b/', 'a//b/c'],
    ['a%3A', 'a:b'],
    ['ß', 'ss'],
    ['İ', 'i'],
    ['😀', '😁'],
    ['a*', 'ab'],
    ['a', ''],
  ])('%j does not allow %j', (prefix, name) => {
    expect(() => acquire({ prefix }, name)).toThrow(
      expect.objectContaining({ reason: 'FORBIDDEN', detail: 'missingPrefix' }),
    );
  });

  test('of several locks each has to begin with it', () => {
    expect(() => acquire({ prefix: 'a:' }, 'a:1', 'a:2')).not.toThrow();
    expect(() => acquire({ prefix: 'a:' }, 'a:1', 'b:2')).toThrow(/begin with "a:"/);
  });
});

test('a list shows names that begin with both prefixes, the key’s and the requested one', () => {
  const key = actor({ prefix: 'a:' });
  expect(visiblePrefix(actor())).toBe('');
  expect(visiblePrefix(actor(), 'x')).toBe('x');
  expect(visiblePrefix(key)).toBe('a:');
  expect(visiblePrefix(key, 'a')).toBe('a:');
  expect(visiblePrefix(key, 'a:b')).toBe('a:b');
  for (const asked of ['b', 'A:', 'a.', 'a\u0301']) {
    expect(() => visiblePrefix(key, asked), asked).toThrow(
      expect.objectContaining({ detail: 'missingPrefix' }),
    );
  }
});

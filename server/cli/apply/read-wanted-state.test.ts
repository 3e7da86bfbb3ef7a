import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readWantedState } from './read-wanted-state';

const read = (text: string, env = {}) => readWantedState('f.yaml', text, env);
const key = (more: string) => `version: 1\nkeys:\n  - name: a\n    namespaces: [b]\n${more}`;
const user = (more: string) => `version: 1\nusers:\n  - name: Ana\n    role: viewer\n${more}`;
const space = (more: string) => `version: 1\nnamespaces:\n  - name: a\n${more}`;
const policy = (more: string) => space(`    policy:\n${more}`);

test('the example of the documentation is well-formed', () => {
  const text = readFileSync('docs/examples/lockyard.yaml', 'utf8');
  const { state, env } = read(text, { ANA_PASSWORD: 'a', INVOICES_KEY: 'b', OTHER: 'c' });
  expect(env).toEqual({ ANA_PASSWORD: 'a', INVOICES_KEY: 'b' });
  expect(state.keys?.map(({ name }) => name)).toEqual(['invoices', 'reports', 'host-4']);
});

const BAD: [string, number, RegExp][] = [
  ['', 1, /: The file must be a map, such as version: 1\.$/],
  ['null', 1, /: The file must be a map/],
  ['[]', 1, /: The file must be a map/],
  ['keys: []', 1, /: version: must be 1$/],
  ['version: 2', 1, /version: must be 1$/],
  ['version: "1"', 1, /version: must be 1$/],
  ['version: 1\nversion: 1', 2, /unique/],
  ['version: 1\nkey: []', 2, /there is no "key" here/],
  ['version: 1\n__proto__: []', 2, /no "__proto__"/],
  ['version: 1\nkeys: {}', 2, /keys: must be a list of at most 1000 values$/],
  ['version: 1\nkeys:\n', 2, /keys: must be a list of at most 1000 values$/],
  ['version: 1\nkeys: [a', 2, /./],
  ['version: 1\n\tkeys: []', 2, /./],
  ['version: 1\n---\nversion: 1', 2, /: A further YAML document begins here; the file must be a/],
  ['version: 1\nkeys: *missing', 1, /alias/],
  ['version: !!js/function 1', 1, /tag/],
  ['version: 1\nkeys: ["a"]', 2, /keys\[0\]: must be a map$/],
  ['version: 1\nkeys: [null]', 2, /keys\[0\]: must be a map$/],
  ['version: 1\nkeys:\n  - namespaces: [a]', 3, /keys\[0\]\.name: is missing$/],
  ['version: 1\nkeys:\n  - name: a', 3, /namespaces: needs namespaces/],
  [key('    witness: true'), 4, /needs namespaces, or else witness/],
  [key('    witness: false'), 5, /witness: must be true$/],
  [key('    colour: red'), 5, /keys\[0\]: there is no "colour" here/],
  [key('    prefix: ""'), 5, /prefix: must not be empty/],
  [key('    prefix: 7'), 5, /prefix: must be a text of at most 200 bytes of UTF-8$/],
  [
    key(`    prefix: ${'x'.repeat(201)}`),
    5,
    /prefix: must be a text of at most 200 bytes of UTF-8$/,
  ],
  [key('    prefix: "a\\0"'), 5, /prefix: must not contain NUL/],
  [key('    prefix: "\\uD800"'), 5, /./],
  [key('    verbs: []'), 5, /verbs: must name at least one verb$/],
  [key('    verbs: [acquire, fly]'), 5, /verbs\[1\]: must be one of acquire, .*read/],
  [key('    verbs: [read, read]'), 5, /must not name a verb twice/],
  [key('    verbs: read'), 5, /verbs: must be a list of at least 1 value$/],
  [key('    expiresAt: tomorrow'), 5, /expiresAt: must be an instant/],
  [key('    expiresAt: 2027-01-01'), 5, /expiresAt: must be an instant/],
  [key('    expiresAt: 1900000000000'), 5, /expiresAt: must be an instant/],
  [key('    expiresAt: 2027-02-30T00:00:00Z'), 5, /expiresAt: must be an instant/],
  [key('    expiresAt: 2287-01-01T00:00:00Z'), 5, /At: must be at most 2286-11-20T17:46:39\.999Z$/],
  [key('    secret: lyk_abc'), 5, /secret: must be a map such as \{ fromEnv: NAME \}$/],
  [key('    secret: { fromFile: x }'), 5, /secret\.fromEnv: is missing$/],
  [key('    secret: { fromEnv: "A B" }'), 5, /must name an environment variable/],
  [key('    secret: { fromEnv: NOT_SET }'), 5, /variable NOT_SET is not set/],
  [key('    secret: { fromEnv: A }\n    secretFile: x'), 6, /this one has a secret/],
  [key('  - name: a\n    namespaces: [c]'), 5, /keys\[1\]\.name: "a" is named twice/],
  [
    key('    secretFile: x\n  - name: b\n    namespaces: [c]\n    secretFile: x'),
    8,
    /keys\[1\]\.secretFile: is the file of another key/,
  ],
  ['version: 1\nkeys:\n  - name: a b\n    namespaces: [c]', 3, /name: must be 1 to 40/],
  ['version: 1\nkeys:\n  - name: a\n    namespaces: [C]', 4, /namespaces\[0\]: must be/],
  [
    'version: 1\nkeys:\n  - name: a\n    namespaces: []',
    4,
    /namespaces: must be a list of 1 to 100 values$/,
  ],
  ['version: 1\nkeys:\n  - name: a\n    namespaces: [b, b]', 4, /must not name a namespace twice/],
  [user('    role: admin'), 5, /unique/],
  [user('    disabled: yes'), 5, /disabled: must be true or false$/],
  [user('    password: hunter2hunter2'), 5, /password: must be a map such as \{ fromEnv: NAME \}$/],
  [user('    password: { fromEnv: NOT_SET }'), 5, /NOT_SET is not set/],
  [user('  - name: Ana\n    role: admin'), 5, /"Ana" is named twice/],
  [
    'version: 1\nusers:\n  - name: Ana\n    role: king',
    4,
    /role: must be one of viewer, operator, admin$/,
  ],
  ['version: 1\nusers:\n  - name: "A\\nB"\n    role: admin', 3, /name: must be/],
  [space('    backend: Default'), 4, /backend: must be/],
  [space('    policy: none'), 4, /policy: must be "default", or a map/],
  [
    policy('      leaseMaxMs: 1h'),
    5,
    /policy\.leaseMaxMs: must be a whole number from 100 to 86400000$/,
  ],
  [
    policy('      leaseMaxMs: 1.5'),
    5,
    /policy\.leaseMaxMs: must be a whole number from 100 to 86400000$/,
  ],
  [
    policy('      leaseMaxMs: -1'),
    5,
    /policy\.leaseMaxMs: must be a whole number from 100 to 86400000$/,
  ],
  [policy('      leaseMax: 1'), 5, /policy: there is no "leaseMax" here/],
  [policy('      requiredMeta: [a, a]'), 5, /must not name a key twice/],
  [space('    alertRules:\n      stuck: 1'), 5, /alertRules: there is no "stuck" here/],
  [
    space('    alertRules:\n      stuckForMs: -1'),
    5,
    /alertRules\.stuckForMs: must be a whole number from 0 to 86400000$/,
  ],
];

test.each(BAD)('%j is refused in one message that names line %i', (text, line, message) => {
  let thrown: Error | undefined;
  try {
    read(text, { A: 'a' });
  } catch (error) {
    thrown = error as Error;
  }
  expect(thrown?.message).toMatch(message);
  expect(thrown?.message).toMatch(new RegExp(`^f\\.yaml:${line}: [^\\n]+$`));
  expect(thrown?.name).toBe('StartError');
});

test('all environment variables that are not set are named, each once', () => {
  const entries = ['UNSET', 'A', 'EMPTY', 'UNSET'].map(
    (name, at) => `  - { name: k${at}, namespaces: [b], secret: { fromEnv: ${name} } }`,
  );
  const text = ['version: 1', 'keys:', ...entries].join('\n');
  expect(() => read(text, { A: 'a', EMPTY: '' })).toThrow(
    /^f\.yaml:3: These environment variables are not set: UNSET, EMPTY\.$/,
  );
});

test('every entry of a section may use one anchor', () => {
  const first = '  - { name: k0, namespaces: &all [a, b] }';
  const others = Array.from(
    { length: 999 },
    (_, at) => `  - { name: k${at + 1}, namespaces: *all }`,
  );
  const { state } = read(['version: 1', 'keys:', first, ...others].join('\n'));
  expect(state.keys).toHaveLength(1_000);
});

test('a file whose aliases expand without limit is refused', () => {
  const levels = Array.from(
    { length: 12 },
    (_, at) => `  l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`,
  );
  expect(() => read(`version: 1\nx:\n  l0: &l0 [a]\n${levels.join('\n')}\n`)).toThrow(
    /^f\.yaml:1: The file uses aliases too often: at most 1,000 times, .*\.$/,
  );
});

test('a file that is nested too deeply is refused', () => {
  expect(() => read(`version: 1\nkeys: ${'['.repeat(2_000)}`)).toThrow(
    /^f\.yaml:\d+: The file is nested too deeply\.$/,
  );
});

test('a file that is too long is refused before it is parsed', () => {
  expect(() => read(`version: 1 # ${'x'.repeat(600_000)}`)).toThrow(/over 512 KB/);
});

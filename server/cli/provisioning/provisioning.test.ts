import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { SERVICE_API } from '../../contract/service-api';
import { listAudit } from '../../operations/audit/list-audit';
import { cliCommand } from '../cli-command';
import { parseCommand } from '../parse-command';
import { runCliCommand } from '../run-cli-command';
import { printOf } from '../testing/print-of';
import { USAGE } from '../usage';
import { createKey } from './key-commands';
import { changePolicy, changeRules, createNamespaceIfMissing } from './namespace-commands';
import { PROVISIONING_COMMANDS } from './provisioning-command';
import { createUserIfMissing } from './user-commands';

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.start();
});
afterAll(() => api.close());

const parse = (...words: string[]) =>
  parseCommand(words, {
    readPassword: async () => 'a pass phrase of hers',
    readConfig: () => {
      throw new Error('This command needs no configuration.');
    },
  });

/** What a command prints. */
async function run(...words: string[]): Promise<string | null> {
  return printOf(api.runtime, cliCommand.parse(await parse(...words)));
}
const runJson = async (...words: string[]) =>
  JSON.parse((await run(...words, '--json')) ?? '') as Record<string, unknown>;

describe('every noun can be listed, shown, created, changed and removed', () => {
  test('users', async () => {
    const create = ['users', 'create', '--name', 'Ana', '--role', 'admin'];
    const made = await runJson(...create);
    expect(made).toEqual({ created: true, id: expect.any(String), password: expect.any(String) });
    expect(await runJson(...create, '--if-missing')).toEqual({ created: false, id: made.id });
    expect(await run(...create, '--if-missing')).toBeNull();
    const other = ['users', 'create', '--name', 'Ana', '--role', 'viewer', '--if-missing'];
    await expect(run(...other)).rejects.toMatchObject({ reason: 'CONFLICT' });
    await run('users', 'create', '--name', 'Ben', '--role', 'viewer', '--password-stdin');
    await run('users', 'change', '--name', 'Ben', '--role', 'operator', '--disable');
    expect(await runJson('users', 'show', '--name', 'Ben')).toMatchObject({
      user: { name: 'Ben', role: 'operator', disabledAt: expect.any(Number) },
    });
    await run('users', 'remove', '--name', 'Ben');
    expect((await runJson('users', 'list')).users).toMatchObject([{ name: 'Ana' }]);
    const last = run('users', 'remove', '--name', 'Ana');
    await expect(last).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  test('users, of whom one to be disabled never has the new role before that', async () => {
    await run('users', 'create', '--name', 'Cleo', '--role', 'viewer');
    await run('users', 'change', '--name', 'Cleo', '--role', 'admin', '--disable');
    await run('users', 'change', '--name', 'Cleo', '--role', 'viewer', '--enable');
    const { rows } = await listAudit(api.cli, { subject: 'Cleo', limit: 4 });
    expect(rows.map(({ act, seen }) => [act, seen])).toEqual([
      ['user.setDisabled', { disabled: false }],
      ['user.setRole', { role: 'viewer' }],
      ['user.setRole', { role: 'admin' }],
      ['user.setDisabled', { disabled: true }],
    ]);
    await run('users', 'remove', '--name', 'Cleo');
  });

  test('keys', async () => {
    const create = ['keys', 'create', '--name', 'orders', '--namespace', 'default'];
    const narrow = [...create, '--prefix', 'a:', '--verb', 'read', '--verb', 'acquire'];
    const made = await runJson(...narrow, '--expires', '90d');
    expect(made).toEqual({
      created: true,
      id: expect.any(String),
      key: expect.stringMatching(/^lyl_/),
      expiresAt: expect.any(Number),
    });
    const id = String(made.id);
    expect(await runJson(...narrow, '--if-missing')).toEqual({ created: false, id });
    await expect(run(...create, '--if-missing')).rejects.toMatchObject({ reason: 'CONFLICT' });
    for (const words of [create, ['keys', 'change', '--id', id]]) {
      const past = run(...words, '--expires', '2020-01-01');
      await expect(past).rejects.toThrow(/^--expires: must be in the future\.$/);
    }
    await run('keys', 'change', '--id', id, '--prefix', 'b:', '--any-verb', '--no-expiry');
    expect(await runJson('keys', 'show', '--id', id)).toMatchObject({
      key: { name: 'orders', prefix: 'b:', verbs: null, expiresAt: null, state: 'live' },
    });
    const rotated = await runJson('keys', 'rotate', '--id', id, '--grace', '1h');
    expect(rotated).toMatchObject({ name: 'orders', replaced: { id } });
    expect(await runJson('keys', 'revoke', '--id', id)).toMatchObject({ id });
    const { keys } = await runJson('keys', 'list');
    expect(keys).toMatchObject([
      { id: rotated.id, state: 'live' },
      { id, state: 'revoked' },
    ]);
    expect(await run('keys', 'list')).toMatch(/^ID +NAME +NAMESPACES[^\n]*\n[^\n]* orders /);
    expect(JSON.stringify(keys)).not.toContain('secretHash');
  });

  test('namespaces, their policies and alert rules', async () => {
    const create = ['namespaces', 'create', '--name', 'jobs'];
    const made = { name: 'jobs', backend: 'default' };
    expect(await runJson(...create)).toEqual({ created: true, ...made });
    expect(await runJson(...create, '--if-missing')).toEqual({ created: false, ...made });
    await expect(run(...create)).rejects.toMatchObject({ reason: 'CONFLICT' });
    const reason = ['--reason', 'a test of it'];
    const change = ['namespaces', 'change', '--name', 'jobs', ...reason];
    await run(...change, '--set', 'leaseMaxMs=60000', '--set', 'requiredMeta=["team"]');
    await run(...change, '--set', 'queueLimit=7');
    expect(await runJson('namespaces', 'show', '--name', 'jobs')).toMatchObject({
      namespace: { policy: { leaseMaxMs: 60_000, requiredMeta: ['team'], queueLimit: 7 } },
    });
    const wrong = run(...change, '--set', 'leaseMinMs=60001');
    await expect(wrong).rejects.toMatchObject({
      reason: 'INVALID',
      message: '--set leaseMaxMs: must not be below leaseMinMs.',
    });
    await run(...change, '--default');
    expect(await runJson('namespaces', 'show', '--name', 'jobs')).toMatchObject({
      namespace: { ownPolicy: null },
    });
    const rules = ['alert-rules', 'change', '--name', 'jobs', ...reason];
    const changed = await runJson(...rules, '--set', 'stuckForMs=null');
    expect(changed).toMatchObject({ name: 'jobs', isOwn: true, rules: { stuckForMs: null } });
    expect(await runJson('alert-rules', 'show', '--name', 'jobs')).toMatchObject({
      alertRules: { isOwn: true, rules: { stuckForMs: null, expiredForMs: 5_000 } },
    });
    expect((await runJson('alert-rules', 'list')).alertRules).toHaveLength(2);

    const key = await api.key('worker', ['jobs']);
    const hold = { namespace: 'jobs', name: 'x', owner: 'w', leaseMs: 60_000 };
    await api.post(key, 'lock.acquire', hold);
    const remove = (name: string) => run('namespaces', 'remove', '--name', name, ...reason);
    await expect(remove('jobs')).rejects.toThrow(
      /still has locks or counters \(1\)\. Records of free locks count, as they are kept for their tokens\./,
    );
    await expect(remove('default')).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  test('namespaces that are empty and without a key', async () => {
    const remove = ['namespaces', 'remove', '--name', 'spare', '--reason', 'a test of it'];
    const create = ['namespaces', 'create', '--name', 'spare'];
    await run(...create);
    await api.key('spare-worker', ['default', 'spare']);
    await expect(run(...remove)).rejects.toThrow(/is for namespace "spare"; revoke it first/);
    await run('keys', 'revoke', '--id', await api.keyId('spare-worker'));
    const isThere = async () =>
      ((await runJson('namespaces', 'list')).namespaces as { name: string }[]).some(
        ({ name }) => name === 'spare',
      );
    await run(...remove);
    expect(await isThere()).toBe(false);
    const gone = run('keys', 'create', '--name', 'x', '--namespace', 'spare');
    await expect(gone).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await run(...create);
    expect(await isThere()).toBe(true);
  });

  test('silences', async () => {
    const create = ['silences', 'create', '--for', '2h', '--kind', 'stuck', '--reason', 'a move'];
    const { id, ...made } = await runJson(...create);
    expect(made).toEqual({ created: true, endsAt: expect.any(Number) });
    expect((await runJson('silences', 'list')).silences).toMatchObject([{ id, kind: 'stuck' }]);
    await run('silences', 'remove', '--id', String(id));
    expect((await runJson('silences', 'list')).silences).toEqual([]);
  });
});

test.each([
  {
    change: changePolicy,
    sets: [{ leaseMaxMs: 60_000 }, { queueLimit: 7 }],
    seen: async () => (await runJson('namespaces', 'show', '--name', 'shared')).namespace,
    at: 'policy',
  },
  {
    change: changeRules,
    sets: [{ stuckForMs: null }, { expiredForMs: 9_000 }],
    seen: async () => (await runJson('alert-rules', 'show', '--name', 'shared')).alertRules,
    at: 'rules',
  },
])(
  'of two changes at once none is lost without a word: $at',
  async ({ change, sets, seen, at }) => {
    await run('namespaces', 'create', '--name', 'shared', '--if-missing');
    const asked = sets.map((set) => change(api.cli, { name: 'shared', set, reason: 'a test' }));
    const ends = await Promise.allSettled(asked);
    const refused = ends.filter((end) => end.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ reason: 'CONFLICT' });
    const done = sets.filter((_, which) => ends[which]?.status === 'fulfilled');
    expect(done).not.toEqual([]);
    expect(await seen()).toMatchObject({ [at]: Object.assign({}, ...done) });
  },
);

test('of two servers that create the same with --if-missing at once, one finds it', async () => {
  const ifMissing = true;
  const key = { name: 'twice', namespaces: ['default'] };
  const creations = [
    () => createNamespaceIfMissing(api.cli, { name: 'twice', backend: 'default', ifMissing }),
    () => createUserIfMissing(api.cli, { name: 'Tove', role: 'viewer', ifMissing }),
    () => createKey(api.cli, { key, ifMissing }),
  ];
  for (const create of creations) {
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ data }) => data.created).sort()).toEqual([false, true]);
  }
});

test('counters and backends can be listed, and counters created', async () => {
  const create = ['counters', 'create', '--name', 'tickets', '--initial', '20', '--floor', '0'];
  const full = [...create, '--reason', 'a sale'];
  const at = { namespace: 'default', name: 'tickets' };
  expect(await runJson(...full)).toEqual({ created: true, ...at });
  await expect(run(...full)).rejects.toMatchObject({ reason: 'CONFLICT' });
  expect(await runJson(...full, '--if-missing')).toEqual({ created: false, ...at });
  const other = run(...full, '--ceiling', '30', '--if-missing');
  await expect(other).rejects.toThrow(/with other bounds: floor 0, ceiling none\.$/);
  const listed = () => runJson('counters', 'list', '--search', 'ticket');
  const counters = [{ ...at, value: 20, floor: 0, ceiling: null, isKnown: true }];
  await expect
    .poll(listed, { timeout: 20_000 })
    .toEqual({ counters, matching: 1, notResponding: [], notConfigured: [] });
  expect(await run('counters', 'list')).toMatch(/^NAMESPACE +NAME +VALUE [^\n]*\ndefault +tickets/);
  const backends = await runJson('backends', 'list');
  expect(backends.backends).toMatchObject([
    { id: 'default', kind: 'sqlite', reachable: true, refusal: null, shards: [] },
  ]);
  expect(JSON.stringify(backends)).toMatch(/"latencyMs":\d+(\.\d)?,/);
});

test('a list of counters that is not whole says so', async () => {
  const create = { verb: 'create', initial: 0, floor: null, ceiling: null, request: null } as const;
  const engine = api.runtime.engines.get('default');
  const names = Array.from({ length: 1_001 }, (_, i) => `many:${i}`);
  const keys = names.map((name) => ({ namespace: 'default', name, kind: 'counter' }) as const);
  await Promise.all(
    keys.map((key) => engine?.count(key, { ...create, party: { service: 'stock' } })),
  );
  const noted = async (search: string) => {
    const command = cliCommand.parse(await parse('counters', 'list', '--search', search));
    return (await runCliCommand(api.runtime, command)).note;
  };
  await expect.poll(() => noted('many:'), { timeout: 20_000 }).toBe('1000 of 1001 counters.');
  expect(await noted('many:7')).toBeNull();
});

test.each([
  [['keys', 'change', '--id', 'x'], /^keys change needs one of --namespace, --prefix/],
  [['keys', 'change', '--id', 'x', '--prefix', ''], /^--prefix: must not be empty/],
  [['keys', 'change', '--id', 'x', '--prefix', 'a', '--any-name'], /either --prefix or --any-name/],
  [['keys', 'create', '--name', 'a', '--namespace', 'b', '--verb', 'fly'], /^--verb: /],
  [
    ['keys', 'create', '--name', 'a', '--namespace', 'b', '--expires', 'soon'],
    /^--expires: must be/,
  ],
  [
    ['keys', 'create', '--name', 'a', '--namespace', 'b', '--expires', '1s'],
    /^--expires: must be a duration of at least 1m\.$/,
  ],
  [
    ['keys', 'create', '--name', 'a', '--namespace', 'b', '--expires', '9999-12-31'],
    /^--expires: must be at most 2286-11-20T17:46:39\.999Z\.$/,
  ],
  [['keys', 'create', '--name', 'a', '--witness', '--prefix', 'b'], /^--witness: /],
  [
    ['keys', 'rotate', '--id', 'x', '--grace', '31d'],
    /^--grace: must be a duration of at most 30d\.$/,
  ],
  [['keys', 'rotate', '--id', 'x', '--grace', 'long'], /^--grace: must be a duration/],
  [['namespaces', 'change', '--name', 'a', '--reason', 'abc', '--set', 'x'], /must be NAME=VALUE/],
  [
    ['alert-rules', 'change', '--name', 'a', '--reason', 'abc', '--set', 'x=1', '--set', 'x=2'],
    /^--set x: may be given only once/,
  ],
  [
    ['namespaces', 'change', '--name', 'a', '--reason', 'abc', '--set', '__proto__=1'],
    /^--set __proto__: there is no such setting\. See docs\/provisioning\.md\.$/,
  ],
  [
    ['alert-rules', 'change', '--name', 'a', '--reason', 'abc', '--set', `${'x'.repeat(41)}=1`],
    /^--set x{41}: there is no such setting\. /,
  ],
  [
    ['alert-rules', 'change', '--name', 'a', '--reason', 'abc', '--set', 'stuck=5'],
    /did you mean stuckForMs\?/,
  ],
  [['silences', 'create', '--for', '2h', '--reason', 'abc'], /^--namespace: /],
  [
    ['silences', 'create', '--namespace', 'a', '--for', '31d', '--reason', 'abc'],
    /^--for: must be a duration of at most 30d\.$/,
  ],
  [
    ['silences', 'create', '--namespace', 'a', '--for', '999999999999h', '--reason', 'abc'],
    /^--for: must be a duration of at most 30d\.$/,
  ],
  [
    ['counters', 'adjust', '--name', 'a', '--by', '-5', '--reason', 'abc'],
    /^Option '--by' argument is ambiguous: .*'--by=-XYZ'\.$/,
  ],
  [['keys'], /^Unknown command "keys"; there are: keys list, keys show, .*keys generate; see: /],
  [
    ['locks', 'lend'],
    /; there are: locks list, locks delete, locks show, .*, locks set-capacity; see: /,
  ],
  [['lock', 'lend'], /^Unknown command "lock lend"; there are: locks list, .*; see: /],
  [['lock', 'list'], /^Unknown command "lock list"; did you mean "locks list"\? See: /],
  [['keys', 'creat', '--name', 'a'], /"keys creat"; did you mean "keys create"\? See: /],
  [['aply', '-f', 'a'], /^Unknown command "aply"; did you mean "apply"\? See: /],
  [['bakup', 'a.file'], /^Unknown command "bakup a\.file"; did you mean "backup"\? See: /],
  [
    ['users', 'create', '--name', 'Ben', '--role', 'king'],
    /^--role: must be one of viewer, operator, admin\.$/,
  ],
  [
    ['namespaces', 'remove', '--name', 'a', '--reason', 'x'],
    /^--reason: must be a text of 3 to 500 characters\.$/,
  ],
  [
    ['locks', 'set-capacity', '--name', 'a', '--capacity', '0', '--reason', 'abc'],
    /^--capacity: must be a whole number from 1 to 10000\.$/,
  ],
  [
    ['counters', 'create', '--name', 'a', '--initial', '1.5', '--reason', 'abc'],
    /^--initial: must be a whole number from -9007199254740991 to 9007199254740991\.$/,
  ],
  [
    ['locks', 'delete', '--prefix', 'a', '--count', 'x', '--reason', 'abc'],
    /^--count: must be a whole number from 1 to 10000000\.$/,
  ],
  [
    ['keys', 'create', '--name', 'a', '--namespace', 'b', '--prefix', ''],
    /^--prefix: must not be empty; leave it out for all names\.$/,
  ],
  [['apply'], /^apply needs -f FILE/],
  [['counters', 'create', '--name', 'a', '--reason', 'abc'], /^counters create needs --initial/],
  [['counters', 'create', '--name', 'a', '--initial', 'x', '--reason', 'abc'], /^--initial: /],
  [
    ['counters', 'create', '--name', 'a', '--initial', '1', '--floor', '2', '--reason', 'abc'],
    /^--initial: /,
  ],
  [['counters', 'create', '--name', 'a', '--initial', '', '--reason', 'abc'], /^--initial: /],
  [
    ['counters', 'create', '--name', 'a', '--initial', '1', '--floor', ' ', '--reason', 'abc'],
    /^--floor: /,
  ],
  [
    ['keys', 'create', '--name', 'a', '--namespace', 'b', '--expires', '2027-02-30'],
    /^--expires: must be/,
  ],
  [
    ['backends', 'list', '--name', 'x'],
    /^backends list does not take --name\. It has no options\.$/,
  ],
  [['keys', 'revoke', '--id', 'x', '--name', 'y'], /does not take --name\. It takes --id\.$/],
  [['keys', 'revoke', '--name', 'y'], /^keys revoke needs --id; "keys list" shows the ids\.$/],
  [
    ['keys', 'revoke', 'reports'],
    /^keys revoke: unexpected "reports"\. It needs --id; "keys list" shows the ids\.$/,
  ],
  [['users', 'remove', 'ana'], /^users remove: unexpected "ana"\. It needs --name\.$/],
  [
    ['locks', 'freeze', '--name', 'a', '--reason', 'under', 'repair'],
    /^locks freeze: unexpected "repair"\. A value with spaces needs quotes\.$/,
  ],
  [['locks', 'delete', 'a'], /^locks delete: unexpected "a"\. It needs --prefix or --name\.$/],
  [['apply', 'x.yaml'], /^apply: unexpected "x\.yaml"\. It needs -f FILE\.$/],
  [
    ['silences', 'list', 'all'],
    /^silences list: unexpected "all"\. See: npm run -s lockyard -- silences list --help$/,
  ],
  [
    ['keys', 'create', '--name', 'a', '--namespaces', 'b'],
    /^Unknown option '--namespaces'; did you mean --namespace\?$/,
  ],
  [['keys', 'list', '--colour'], /^Unknown option '--colour'\.$/],
  [['keys', 'list', '--json=yes'], /^Option '--json' does not take an argument\.$/],
  [['backup', 'a.gz', '--create=1'], /^Option '--create' does not take an argument\.$/],
  [['--json'], /^A command is missing; see: npm run -s lockyard -- --help$/],
  [[''], /^A command is missing; see: npm run -s lockyard -- --help$/],
  [['keys', 'revoke', '--id', 'x', '--id', 'y'], /^--id: may be given only once/],
  [['apply', '-f', 'x', '--file=y'], /^--file: may be given only once/],
])('%j is refused in one line', async (words, message) => {
  await expect(parse(...words)).rejects.toThrow(message);
  await expect(parse(...words)).rejects.toThrow(/^[^\n]+$/);
});

test.each([
  ['leaseMaxMs=1e999', /^--set leaseMaxMs: must be a whole number from 100 to 86400000\.$/],
  ['leaseMaxMs=1h', /^--set leaseMaxMs: must be a whole number from 100 to 86400000\.$/],
  ['requiredMeta=["team",""]', /^--set requiredMeta: must be a text of 1 to 100 bytes/],
  ['requiredMeta=team', /^--set requiredMeta: must be a list .*, such as \["host"\]\.$/],
  ['constructor=1', /^--set constructor: there is no such setting/],
  ['leaseMaxMS=1', /^--set leaseMaxMS: there is no such setting; did you mean leaseMaxMs\? /],
])('--set %s is an invalid argument', async (set, message) => {
  const change = parse('namespaces', 'change', '--name', 'a', '--reason', 'abc', '--set', set);
  const error = await change.catch((each) => each);
  expect(error).toMatchObject({ name: 'UsageError', message: expect.stringMatching(message) });
});

test('help is a word after a command, and an ordinary name as the value of an option', async () => {
  expect(await parse('users', 'create', 'help')).toBeNull();
  const named = { verb: 'namespaces show', input: { name: 'help' } };
  expect(await parse('namespaces', 'show', '--name', 'help')).toEqual(named);
});

test('the documentation names every command, and every procedure with its verb', () => {
  const text = readFileSync('docs/provisioning.md', 'utf8');
  for (const { shape } of PROVISIONING_COMMANDS) {
    expect(text, shape.verb.value).toContain(`\`${shape.verb.value}`);
    const [noun = ''] = shape.verb.value.split(' ');
    expect(USAGE).toContain(noun);
  }
  for (const [name, { verb }] of Object.entries(SERVICE_API)) {
    if (verb === null) continue;
    const row = text.split('\n').find((line) => line.startsWith(`| \`${verb}\` |`));
    expect(row).toContain(`\`${name}\``);
  }
});

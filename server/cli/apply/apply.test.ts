import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { ApiHarness } from '@/test/api-harness';
import { newApiKey } from '../../auth/api-keys/api-key-text';
import { LockyardError } from '../../contract/errors';
import { listAllApiKeys } from '../../operations/api-keys/list-api-keys';
import { revokeApiKey } from '../../operations/api-keys/revoke-api-key';
import { rotateApiKey } from '../../operations/api-keys/rotate-api-key';
import { listAudit } from '../../operations/audit/list-audit';
import { listNamespaceSettings } from '../../operations/namespaces/list-namespace-settings';
import { openTestRuntime } from '../../operations/testing/test-runtime';
import { listUsers } from '../../operations/users/list-users';
import { limitFiles } from '../../storage/conformance/testing/limit-files';
import { printOf } from '../testing/print-of';
import { applyFile } from './apply-file';
import type { ApplyReport } from './apply-report';

let api: ApiHarness;
let folder: string;
beforeAll(async () => {
  api = await ApiHarness.start();
  folder = mkdtempSync(join(tmpdir(), 'lockyard-apply-'));
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const environment: Record<string, string> = {
  ANA_PASSWORD: 'a pass phrase of Ana',
  INVOICES_KEY: newApiKey('limited').key,
};

/** Applies a text as a file. */
async function apply(
  text: string,
  how: { dryRun?: boolean; prune?: boolean; json?: boolean; onAsk?: (asked: number) => void } = {},
) {
  const { dryRun = false, prune = false, json = true, onAsk } = how;
  const file = join(folder, 'lockyard.yaml');
  writeFileSync(file, text);
  const printed: string[] = [];
  let asked = 0;
  const run = applyFile(
    { verb: 'apply file', file, dryRun, prune },
    {
      environment,
      json,
      ask: async (command) => {
        onAsk?.(++asked);
        return printOf(api.runtime, command);
      },
      print: async (line) => void printed.push(line),
    },
  );
  const ended = await run.then(
    (code) => ({ code, error: undefined }),
    (error: Error & { reason?: string }) => ({ code: 1, error }),
  );
  const out = printed.join('\n');
  return { ...ended, out, report: json && out !== '' ? (JSON.parse(out) as ApplyReport) : null };
}

const example = readFileSync('docs/examples/lockyard.yaml', 'utf8');
const acts = async () =>
  (await listAudit(api.cli, { limit: 100 })).rows.map(({ act, outcome }) => `${act} ${outcome}`);

test('the example shows its differences, is applied completely, then changes nothing', async () => {
  const before = (await acts()).length;
  const shown = await apply(example, { dryRun: true, json: false });
  expect(shown.code).toBe(2);
  expect(shown.out).toContain('+ namespace billing: on backend default');
  expect(shown.out).toContain(
    '~ policy billing: leaseMaxMs 86400000 -> 3600000; queueLimit 200 ->',
  );
  expect(shown.out).toContain('key from $INVOICES_KEY');
  expect((await acts()).length).toBe(before);
  expect(existsSync(join(folder, 'reports.key'))).toBe(false);

  const { code, report, out } = await apply(example);
  expect(code).toBe(0);
  expect(report?.changes.every(({ outcome }) => outcome === 'done')).toBe(true);
  expect(report?.secrets.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'user Ben',
    'key host-4',
  ]);
  for (const secret of Object.values(environment)) expect(shown.out + out).not.toContain(secret);

  const made = readFileSync(join(folder, 'reports.key'), 'utf8').trim();
  expect(statSync(join(folder, 'reports.key')).mode & 0o777).toBe(0o600);
  expect(await api.runtime.apiKeys.verify(made)).toMatchObject({ service: 'reports' });
  const invoices = await api.runtime.apiKeys.verify(environment.INVOICES_KEY ?? '');
  expect(invoices).toMatchObject({ service: 'invoices', limits: { prefix: 'invoices:' } });
  expect(await api.signIn('Ana', environment.ANA_PASSWORD ?? '')).toBeTruthy();

  const entries = await acts();
  expect(entries.filter((entry) => entry === 'config.apply done')).toHaveLength(1);
  const log = JSON.stringify((await listAudit(api.cli, { limit: 100 })).rows);
  for (const secret of [...Object.values(environment), made]) expect(log).not.toContain(secret);

  const count = entries.length;
  expect(await apply(example, { json: false })).toMatchObject({
    code: 0,
    out: 'Nothing to change.',
  });
  expect(await apply(example, { dryRun: true })).toMatchObject({ code: 0 });
  // Ana has signed in meanwhile.
  expect((await acts()).length).toBeLessThanOrEqual(count + 1);
});

test('what a file does not name is removed only with --prune, in its sections', async () => {
  await api.key('stray');
  await api.namespace('stray');
  const keys = 'version: 1\nkeys:\n  - name: reports\n    namespaces: [billing, default]\n';
  expect(await apply(keys)).toMatchObject({ code: 0, report: { changes: [] } });
  const { report } = await apply(keys, { prune: true, dryRun: true });
  expect(report?.changes.map(({ sign, kind, name }) => `${sign} ${kind} ${name}`).sort()).toEqual([
    '- key host-4',
    '- key invoices',
    '- key stray',
  ]);
  expect((await apply(keys, { prune: true })).code).toBe(0);
  const live = (await listAllApiKeys(api.cli)).filter(({ state }) => state === 'live');
  expect(live.map(({ name }) => name)).toEqual(['reports']);
  const names = (await listNamespaceSettings(api.cli)).map(({ name }) => name);
  expect(names).toEqual(['billing', 'default', 'stray']);
  expect((await listUsers(api.cli)).map(({ name }) => name)).toEqual(['Ana', 'Ben']);

  const spaces = 'version: 1\nnamespaces:\n  - name: billing\n';
  expect(await apply(spaces, { prune: true })).toMatchObject({ code: 0 });
  expect((await listNamespaceSettings(api.cli)).map(({ name }) => name)).toEqual([
    'billing',
    'default',
  ]);
  expect(await api.runtime.namespaces.get('stray')).toBeNull();
});

test('if one change fails, those before it are done, those after it not begun', async () => {
  const text = [
    'version: 1',
    'namespaces: [{ name: first }]',
    'users:',
    '  - { name: Ana, role: viewer }', // the last admin
    'keys:',
    '  - { name: late, namespaces: [first] }',
  ].join('\n');
  const { code, error, report } = await apply(text);
  expect([code, error?.reason]).toEqual([1, 'CONFLICT']);
  expect(report?.changes.map(({ outcome }) => outcome)).toEqual(['done', 'failed', 'planned']);
  expect(report?.failure?.message).toMatch(/last enabled admin/);
  expect(await acts()).toContain('config.apply failed');
  const shown = await apply(text, { json: false });
  expect(shown.out).toMatch(
    /~ user Ana: [^\n]+ {2}\(failed\)\n\+ key late: [^\n]+ {2}\(not begun\)/,
  );
});

test('an admin takes the place of another one, in whatever order the file has them', async () => {
  const users = (ana: string, eva: string) =>
    `version: 1\nusers: [{ name: Ana, role: ${ana} }, { name: Eva, role: ${eva} }]`;
  const roles = async () =>
    (await listUsers(api.cli)).filter(({ role }) => role === 'admin').map(({ name }) => name);
  expect((await apply(users('viewer', 'admin'))).error).toBeUndefined();
  expect(await roles()).toEqual(['Eva']);
  expect((await apply(users('admin', 'viewer'))).error).toBeUndefined();
  expect(await roles()).toEqual(['Ana']);
});

test('a file is not applied further once its caller has gone', async () => {
  const names = ['gone-1', 'gone-2'];
  const state = {
    version: 1 as const,
    namespaces: names.map((name) => ({ name, backend: 'default' })),
  };
  const input = { file: 'gone.yaml', state, env: {}, dryRun: false, prune: false };
  let asked = 0;
  // Waits for its turn and its first change.
  const isAwaited = () => ++asked <= 2;
  await printOf(api.runtime, { verb: 'apply', input, json: true }, isAwaited);
  const made = (await listNamespaceSettings(api.cli)).filter(({ name }) => names.includes(name));
  expect(made.map(({ name }) => name)).toEqual(['gone-1']);
  expect(await acts()).toContain('config.apply failed');
});

test('a file that contradicts the installation changes nothing', async () => {
  await api.key('plain');
  environment.PLAIN_KEY = newApiKey().key;
  environment.WEAK = 'password';
  const spare = (name: string) =>
    `{ name: ${name}, namespaces: [default], secret: { fromEnv: PLAIN_KEY } }`;
  const before = (await acts()).length;
  const contradictions: [string, string][] = [
    ['namespaces: [{ name: billing, backend: other }]', 'CONFLICT'],
    ['namespaces: [{ name: fresh, backend: nowhere }]', 'NOT_FOUND'],
    ['namespaces: [{ name: billing, policy: { gate: nowhere } }]', 'NOT_FOUND'],
    ['namespaces: [{ name: fresh, policy: { gate: nowhere } }]', 'NOT_FOUND'],
    ['keys: [{ name: a, namespaces: [nowhere] }]', 'NOT_FOUND'],
    ['keys: [{ name: a, namespaces: [default], secret: { fromEnv: ANA_PASSWORD } }]', 'INVALID'],
    [
      'keys: [{ name: invoices, namespaces: [default], secret: { fromEnv: INVOICES_KEY } }]',
      'CONFLICT',
    ],
    ['keys: [{ name: plain, namespaces: [default], prefix: p }]', 'CONFLICT'],
    ['keys: [{ name: plain, namespaces: [default], verbs: [read] }]', 'CONFLICT'],
    [
      'keys: [{ name: a, namespaces: [default], prefix: p, secret: { fromEnv: PLAIN_KEY } }]',
      'INVALID',
    ],
    ['keys: [{ name: a, namespaces: [default], expiresAt: 2020-01-01T00:00:00Z }]', 'INVALID'],
    ['keys: [{ name: plain, namespaces: [default], expiresAt: 2020-01-01T00:00:00Z }]', 'INVALID'],
    ['namespaces: [{ name: billing, policy: { leaseMinMs: 5000, leaseMaxMs: 1000 } }]', 'INVALID'],
    [`keys: [${['a', 'b'].map((name) => spare(name)).join()}]`, 'CONFLICT'],
    ['users: [{ name: Zoe, role: viewer }, { name: zoe, role: viewer }]', 'CONFLICT'],
    ['users: [{ name: ana, role: viewer }]', 'CONFLICT'],
    ['users: [{ name: Zoe, role: viewer, password: { fromEnv: WEAK } }]', 'INVALID'],
  ];
  for (const [line, reason] of contradictions) {
    const text = `version: 1\nnamespaces: [{ name: never }]\n${line}`.replace(
      /^namespaces: \[\{ name: never \}\]\n(?=namespaces)/m,
      '',
    );
    for (const dryRun of [true, false]) {
      const { code, error } = await apply(text, { dryRun });
      expect([code, error?.reason], line).toEqual([1, reason]);
    }
  }
  expect((await acts()).length).toBe(before);
});

test('a refusal names its entry', async () => {
  const expiresAt = '2020-01-01T00:00:00Z';
  const text = `version: 1\nkeys: [{ name: late, namespaces: [default], expiresAt: ${expiresAt} }]`;
  expect((await apply(text)).error?.message).toBe('Key late: expiresAt: must be in the future.');
  const elsewhere = 'version: 1\nnamespaces: [{ name: fresh, backend: nowhere }]';
  expect((await apply(elsewhere)).error?.message).toBe(
    'Namespace fresh: Backend "nowhere" is not configured. ' +
      'Name its store in LOCKYARD_BACKEND_<ID>, and restart the server.',
  );
});

test('the secret of a rotated key changes nothing, and its successor is kept', async () => {
  const { key } = newApiKey();
  environment.ROTATED_KEY = key;
  const secret = 'secret: { fromEnv: ROTATED_KEY }';
  const text = `version: 1\nkeys: [{ name: rotated, namespaces: [default], ${secret} }]`;
  expect((await apply(text)).code).toBe(0);
  const id = await api.keyId('rotated');
  const { id: successor } = await rotateApiKey(api.cli, { id, graceMs: 60_000 });
  const before = await listAllApiKeys(api.cli);
  for (const how of [{}, { dryRun: true }, { prune: true }]) {
    const { code, error } = await apply(text, how);
    expect([code, error?.reason, error?.message]).toEqual([
      1,
      'CONFLICT',
      `The API key ${id} in $ROTATED_KEY was rotated; ${successor} has taken its place.`,
    ]);
  }
  expect(await listAllApiKeys(api.cli)).toEqual(before);
});

test('an existing key file is not overwritten, and nothing is done', async () => {
  writeFileSync(join(folder, 'taken.key'), 'precious');
  const text = 'version: 1\nkeys: [{ name: k, namespaces: [default], secretFile: taken.key }]';
  const { code, error } = await apply(text);
  expect([code, error?.message]).toEqual([
    1,
    expect.stringMatching(/k cannot be written: .*taken\.key exists, and has no key/),
  ]);
  expect(readFileSync(join(folder, 'taken.key'), 'utf8')).toBe('precious');
  expect((await listAllApiKeys(api.cli)).some(({ name }) => name === 'k')).toBe(false);
});

const isThere = async (service: string) =>
  (await listAllApiKeys(api.cli)).some(({ name }) => name === service);
const fileOf = (name: string) => join(folder, `${name}.key`);
const oneKey = (name: string, more = '') =>
  `version: 1\n${more}\nkeys: [{ name: ${name}, namespaces: [default], secretFile: ${name}.key }]`;

test('if the file of a key cannot be written, nothing is done and no file is left', async () => {
  const text = [
    'version: 1',
    'keys:',
    '  - { name: full-1, namespaces: [default], secretFile: full-1.key }',
    '  - { name: full-2, namespaces: [default], secretFile: nowhere/full-2.key }',
  ].join('\n');
  const { code, error } = await apply(text);
  expect([code, error?.message]).toEqual([
    1,
    expect.stringMatching(/key of full-2 cannot be written: ENOENT/),
  ]);
  const full = await apply(oneKey('full-1'), {
    // The disk is full once the difference is known.
    onAsk: () => queueMicrotask(() => limitFiles({ pid: () => process.pid }, 1)),
  }).finally(() => limitFiles({ pid: () => process.pid }, 'unlimited'));
  expect(full.error?.message).toMatch(/key of full-1 cannot be written: EFBIG/);
  expect(readdirSync(folder).filter((name) => name.startsWith('full'))).toEqual([]);
  expect([await isThere('full-1'), await isThere('full-2')]).toEqual([false, false]);
});

test.each(['UNKNOWN', 'INTERNAL'] as const)(
  'after a failure %s, which may have stored it, a key stays in its file',
  async (reason) => {
    const name = `unsure-${reason}`;
    const { code, error } = await apply(oneKey(name), {
      onAsk: (asked) => {
        if (asked === 2) throw new LockyardError(reason, 'The running server did not respond.');
      },
    });
    expect([code, error?.reason]).toEqual([1, reason]);
    expect(existsSync(fileOf(name))).toBe(true);
  },
);

test('a key is in its file before it is stored, by the next run if interrupted', async () => {
  let written = '';
  const interrupted = await apply(oneKey('kept'), {
    onAsk: (asked) => {
      if (asked === 1) return;
      written = readFileSync(fileOf('kept'), 'utf8');
      throw new Error('killed');
    },
  });
  expect(interrupted.error?.message).toBe('killed');
  expect(written).toMatch(/^lyk_\w+\n$/);
  expect(statSync(fileOf('kept')).mode & 0o777).toBe(0o600);
  expect(await isThere('kept')).toBe(false);

  const { code, report } = await apply(oneKey('kept'));
  expect([code, report?.secrets]).toEqual([0, []]);
  expect(readFileSync(fileOf('kept'), 'utf8')).toBe(written);
  expect(await api.runtime.apiKeys.verify(written.trim())).toMatchObject({ service: 'kept' });
  expect(readdirSync(folder).filter((name) => name.startsWith('kept'))).toEqual(['kept.key']);
});

test('a key that was not stored leaves no file', async () => {
  const { code, report } = await apply(oneKey('never', 'users: [{ name: Ana, role: viewer }]'));
  expect([code, report?.changes.map(({ outcome }) => outcome)]).toEqual([1, ['failed', 'planned']]);
  expect(existsSync(fileOf('never'))).toBe(false);
});

test('a file that others may have written, or with a key that has ended, is not used', async () => {
  writeFileSync(fileOf('foreign'), newApiKey().key, { mode: 0o600 });
  chmodSync(fileOf('foreign'), 0o644);
  expect((await apply(oneKey('foreign'))).error?.message).toMatch(/foreign\.key exists/);
  chmodSync(fileOf('foreign'), 0o600);
  expect((await apply(oneKey('foreign'))).code).toBe(0);
  await revokeApiKey(api.cli, { id: await api.keyId('foreign') });
  const { code, error } = await apply(oneKey('foreign', 'namespaces: [{ name: not-made }]'));
  expect([code, error?.reason]).toEqual([1, 'CONFLICT']);
  expect(await api.runtime.namespaces.get('not-made')).toBeNull();
});

test('a disabled user is created so, and is never enabled in between', async () => {
  const text = 'version: 1\nusers: [{ name: Dora, role: viewer, disabled: true }]';
  const before = (await acts()).length;
  expect((await apply(text)).code).toBe(0);
  const dora = (await listUsers(api.cli)).find(({ name }) => name === 'Dora');
  expect(dora?.disabledAt).toBe(dora?.createdAt);
  expect((await acts()).slice(0, (await acts()).length - before).sort()).toEqual([
    'config.apply done',
    'user.create done',
  ]);
  expect((await apply(text)).report?.changes).toEqual([]);
});

test('a user to be disabled never has the new role before that', async () => {
  const wanted = async (user: string) => {
    expect((await apply(`version: 1\nusers: [{ name: Dora, ${user} }]`)).code).toBe(0);
    const { rows } = await listAudit(api.cli, { subject: 'Dora', limit: 2 });
    return rows.map(({ act, seen }) => [act, seen]);
  };
  await wanted('role: viewer');
  expect(await wanted('role: admin, disabled: true')).toEqual([
    ['user.setRole', { role: 'admin' }],
    ['user.setDisabled', { disabled: true }],
  ]);
  expect(await wanted('role: viewer')).toEqual([
    ['user.setDisabled', { disabled: false }],
    ['user.setRole', { role: 'viewer' }],
  ]);
});

test('of many commands that apply one file at once, one makes the changes', async () => {
  const state = {
    version: 1 as const,
    namespaces: [{ name: 'raced', backend: 'default' }],
    keys: [{ name: 'raced', namespaces: ['raced'] }],
  };
  const input = { file: 'raced.yaml', state, env: {}, dryRun: false, prune: false };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => printOf(api.runtime, { verb: 'apply', input, json: true })),
  );
  const reports = answers.map((answer) => JSON.parse(answer ?? '') as ApplyReport);
  expect(reports.filter(({ changes }) => changes.length > 0)).toHaveLength(1);
  expect(reports.some(({ failure }) => failure)).toBe(false);
  expect((await listAllApiKeys(api.cli)).filter(({ name }) => name === 'raced')).toHaveLength(1);
});

test.each(TEST_DIALECTS)(
  'of two servers over %s that apply one file at once, one creates its key',
  async (dialect) => {
    const runtime = await openTestRuntime(dialect);
    const servers = [runtime, runtime.anotherProcess()];
    for (const name of ['a', 'b', 'c']) {
      const state = { version: 1 as const, keys: [{ name, witness: true as const }] };
      const input = { file: 'raced.yaml', state, env: {}, dryRun: false, prune: false };
      const answers = await Promise.all(
        servers.map((server) => printOf(server, { verb: 'apply', input, json: true })),
      );
      const reports = answers.map((answer) => JSON.parse(answer ?? '') as ApplyReport);
      expect(reports.flatMap(({ secrets }) => secrets)).toMatchObject([{ name }]);
      const { db, tables } = runtime.database;
      const keys = await db.select().from(tables.apiKeys).where(eq(tables.apiKeys.name, name));
      expect(keys).toHaveLength(1);
    }
    await runtime.close();
  },
);

test('applying a file does not count as a use of its keys', async () => {
  const runtime = await openTestRuntime('sqlite');
  const { key } = newApiKey();
  const keys = [{ name: 'k', namespaces: ['default'], secret: { fromEnv: 'K' } }];
  const state = { version: 1 as const, keys };
  const input = { file: 'k.yaml', state, env: { K: key }, dryRun: false, prune: false };
  for (const _ of ['creates it', 'finds it']) {
    await printOf(runtime, { verb: 'apply', input, json: true });
  }
  // Writes the last uses.
  await runtime.apiKeys.close();
  const { db, tables } = runtime.database;
  expect(await db.select().from(tables.apiKeys)).toMatchObject([{ name: 'k', lastUsedAt: null }]);
  await runtime.close();
});

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { cliCommand } from '../cli-command';
import { controlSocketPath, startControlSocket } from '../control-socket';
import { parseCommand } from '../parse-command';
import { runCliCommand } from '../run-cli-command';

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.start();
});
afterAll(() => api.close());

/** Runs a command, with the words of a line as its arguments. */
async function run(line: string, ...more: string[]) {
  const parsed = await parseCommand([...line.split(' '), ...more], {
    readPassword: async () => 'a pass phrase of hers',
    readConfig: () => {
      throw new Error('This command needs no configuration.');
    },
  });
  return runCliCommand(api.runtime, cliCommand.parse(parsed));
}
const reason = ['--reason', 'a test of it'];

test('a change that prints no result is confirmed in one line on standard error', async () => {
  const key = JSON.parse(
    (await run('keys create --name orders --namespace default --json')).print ?? '',
  );
  const silence = (await run('silences create --for 2h --kind stuck', ...reason)).print;
  const counter = 'counters create --name tickets --initial 20';
  const user = 'users create --name Ben --role viewer';
  const commands: [string, string[], string][] = [
    ['namespaces create --name jobs', [], 'Namespace "jobs" created on backend "default".'],
    [
      'namespaces create --name jobs --if-missing',
      [],
      'Namespace "jobs" exists already; nothing was changed.',
    ],
    [
      'namespaces change --name jobs --set queueLimit=7',
      reason,
      'The policy of namespace "jobs" was changed.',
    ],
    [
      'namespaces change --name jobs --default',
      reason,
      'The policy of namespace "jobs" is the default again.',
    ],
    [
      'alert-rules change --name jobs --set stuckForMs=null',
      reason,
      'The alert rules of namespace "jobs" were changed.',
    ],
    [
      'alert-rules change --name jobs --default',
      reason,
      'The alert rules of namespace "jobs" are the default again.',
    ],
    ['namespaces remove --name jobs', reason, 'Namespace "jobs" removed.'],
    [`${user} --password-stdin`, [], 'User "Ben" created.'],
    [`${user} --if-missing`, [], 'User "Ben" exists already; nothing was changed.'],
    [
      'users change --name Ben --role operator --disable',
      [],
      'User "Ben" changed: role operator, disabled.',
    ],
    ['users reset-password --name Ben --password-stdin', [], 'The password of "Ben" was reset.'],
    ['users remove --name Ben', [], 'User "Ben" removed.'],
    [
      'keys create --name orders --namespace default --if-missing',
      [],
      `orders already has such an API key, ${key.id}; nothing was changed.`,
    ],
    [`keys change --id ${key.id} --expires 90d`, [], `API key ${key.id} changed.`],
    [`keys revoke --id ${key.id}`, [], `API key ${key.id} revoked.`],
    [counter, reason, 'Counter "tickets" created in default.'],
    [
      `${counter} --if-missing`,
      reason,
      'Counter "tickets" exists already in default; nothing was changed.',
    ],
    [`silences remove --id ${silence}`, [], `Silence ${silence} ended.`],
  ];
  for (const [line, more, note] of commands) {
    expect(await run(line, ...more), line).toEqual({ print: null, note });
  }
});

test('a confirmation is left out where standard output has the result', async () => {
  const results = [
    await run('users create --name Cleo --role viewer'),
    await run('namespaces create --name spare --json'),
    await run('namespaces change --name spare --set queueLimit=7 --json', ...reason),
  ];
  for (const { print, note } of results) {
    expect(print).not.toBeNull();
    expect(note).toBeNull();
  }
});

test('a list that is empty says so on standard error, and prints nothing', async () => {
  expect(await run('silences list')).toEqual({ print: null, note: 'No silences found.' });
  expect(await run('locks list --search nothing')).toEqual({
    print: null,
    note: 'No locks found.',
  });
  expect((await run('users list')).note).toBeNull();
});

test('the heads of tables are words in capitals, or settings as they are set', async () => {
  await run('keys create --name any --namespace default --if-missing');
  const headOf = async (noun: string) => (await run(`${noun} list`)).print?.split('\n')[0] ?? '';
  for (const noun of ['keys', 'users', 'namespaces', 'backends']) {
    const head = await headOf(noun);
    expect(head).toMatch(/^[A-Z]+( +[A-Z]+)+$/);
    expect(head).not.toMatch(/[A-Z](AT|MS|BY)\b/);
  }
  expect(await headOf('alert-rules')).toMatch(/^NAMESPACE +RULES +stuckForMs +orphanedForMs /);
});

test('an answer without a note is one that command lines of earlier versions accept', async () => {
  const close = await startControlSocket(api.runtime);
  const socket = connect(controlSocketPath(api.runtime.config.dataDir));
  const input = { key: { name: 'mail', namespaces: ['default'] } };
  socket.write(`${JSON.stringify({ verb: 'keys create', input })}\n`);
  const reply = JSON.parse(await text(socket));
  await close();
  expect(reply).toEqual({ ok: true, print: expect.stringMatching(/^lyk_/) });
});

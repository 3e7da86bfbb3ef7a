import { expect, test } from 'vitest';
import { newApiKey } from '../../auth/api-keys/api-key-text';
import { parseArguments } from '../testing/parse-arguments';
import { lostSecret } from './lost-secret';

const { id, key } = newApiKey('limited');
const revoke = `The new API key ${id} is lost; revoke it: keys revoke --id ${id}`;
const reset = 'The password of "Ana" is lost; make another: users reset-password';

const create = ['keys', 'create', '--name', 'a', '--namespace', 'default', '--if-missing'];
const rotate = ['keys', 'rotate', '--id', 'x'];
const add = ['users', 'create', '--name', 'Ana', '--role', 'viewer'];
const resetPassword = ['users', 'reset-password', '--name', 'Ana'];

test.each([
  [create, key, revoke],
  [rotate, key, revoke],
  [[...rotate, '--json'], JSON.stringify({ id, key, name: 'a' }), revoke],
  [[...create, '--json'], JSON.stringify({ created: false, id }), null],
  [add, 'a generated password', reset],
  [resetPassword, 'a generated password', reset],
  [[...add, '--json'], JSON.stringify({ id, password: 'generated' }), reset],
  [[...add, '--json'], JSON.stringify({ created: true, id }), null],
  [['keys', 'list'], `id ${key}`, null],
])(
  'what to do about a secret that cannot be printed, if there is one: %j',
  async (words, answer, says) => {
    expect(lostSecret(await parseArguments(words), answer)).toBe(says);
  },
);

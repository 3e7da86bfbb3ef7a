import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runHere } from '../backup/testing/command-line';
import { controlSocketPath } from './control-socket';

let dataDir: string;
let server: Server | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lockyard-'));
});
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  rmSync(dataDir, { recursive: true, force: true });
});

const CREATE = ['keys', 'create', '--name', 'x', '--namespace', 'default'];

/** What the command line says, for programs, where the running server ends a command so. */
async function errorWhere(
  end: (socket: Socket) => void,
  words = CREATE,
): Promise<{ reason: string; message: string }> {
  server = createServer((socket) => socket.once('data', () => end(socket)));
  await new Promise<void>((resolve) => server?.listen(controlSocketPath(dataDir), resolve));
  const { code, err } = await runHere([...words, '--json'], { LOCKYARD_DATA_DIR: dataDir });
  expect(code).toBe(1);
  return JSON.parse(err).error;
}

test('a command whose answer is lost is UNKNOWN: it may have been applied', async () => {
  expect(await errorWhere((socket) => socket.end('{"ok":'))).toEqual({
    reason: 'UNKNOWN',
    message:
      'The running server stopped before it answered. The result is unknown: check the current ' +
      'state before you repeat this.',
  });
});

test('an answer of another version of the server is named as such', async () => {
  const error = await errorWhere((socket) => socket.end('{"ok":"done"}\n'));
  expect(error).toEqual({
    reason: 'UNKNOWN',
    message:
      'The running server answered in a way that this version does not know: use the command ' +
      "line of the server's version. The result is unknown: check the current state before you " +
      'repeat this.',
  });
});

test('of a command that only reads, nothing is said about a result', async () => {
  const list = ['keys', 'list'];
  expect(await errorWhere((socket) => socket.destroy(), list)).toMatchObject({
    message: 'The running server stopped before it answered.',
  });
});

test('a command in which the running server failed is INTERNAL', async () => {
  const reply = { ok: false, message: 'The running server failed to do this; see its log.' };
  const error = await errorWhere((socket) => socket.end(JSON.stringify(reply)));
  expect(error.reason).toBe('INTERNAL');
});

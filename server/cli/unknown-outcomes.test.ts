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

/** What the command line says, for programs, where the running server ends a command so. */
async function reasonWhere(end: (socket: Socket) => void): Promise<unknown> {
  server = createServer((socket) => socket.once('data', () => end(socket)));
  await new Promise<void>((resolve) => server?.listen(controlSocketPath(dataDir), resolve));
  const create = ['keys', 'create', '--name', 'x', '--namespace', 'default', '--json'];
  const { code, err } = await runHere(create, { LOCKYARD_DATA_DIR: dataDir });
  expect(code).toBe(1);
  return JSON.parse(err).error.reason;
}

test('a command whose answer is lost is UNKNOWN: it may have been applied', async () => {
  expect(await reasonWhere((socket) => socket.end('{"ok":'))).toBe('UNKNOWN');
});

test('a command in which the running server failed is INTERNAL', async () => {
  const reply = { ok: false, message: 'The running server failed to do this; see its log.' };
  expect(await reasonWhere((socket) => socket.end(JSON.stringify(reply)))).toBe('INTERNAL');
});

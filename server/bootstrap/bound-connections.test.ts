import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, expect, test } from 'vitest';
import { serverBuild } from '@/scripts/build/bundle.mjs';
import { boundConnections } from './bound-connections';
import { readConfig } from './config/config';

/** A server without pages, bounded as `main.ts` bounds it. */
const SERVER = `
  import { boundConnections } from './server/bootstrap/bound-connections';
  import { systemClock } from './server/platform/clock';
  import { readConfig } from './server/bootstrap/config/config';
  import { createHttpHandlers } from './server/api/http/http-handlers';
  import { createHttpServer, listen } from './server/api/http/http-server';
  import { createLog } from './server/platform/log';
  import { openFilesLimit } from './server/platform/process/open-files-limit.mjs';
  import { createRuntime } from './server/bootstrap/create-runtime';
  const log = createLog();
  const config = boundConnections(readConfig(process.env), openFilesLimit(), log);
  const runtime = await createRuntime(config, log, systemClock);
  const server = createHttpServer(createHttpHandlers(runtime, null));
  process.stdout.write(await listen(server, 0, '127.0.0.1'));
`;
const OPEN_FILES = 320;

const folder = mkdtempSync(join(tmpdir(), 'lockyard-files-'));
/** Within the project, so that the bundle finds its packages. */
const bundle = join(process.cwd(), '.build', `bound-connections-${process.pid}.mjs`);
const lines: Socket[] = [];
let child: ChildProcess | undefined;

afterEach(async () => {
  for (const line of lines.splice(0)) line.destroy();
  if (child?.kill('SIGKILL')) await once(child, 'exit');
  rmSync(bundle, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

function bounded(env: Record<string, string>, openFilesMax: number | null) {
  const warnings: object[] = [];
  const log = { warn: (fields: object) => warnings.push(fields) };
  const config = boundConnections(readConfig(env), openFilesMax, log as never);
  return { connections: config.limits.connections, warnings };
}

test('the open files that stores and pages leave limit connections, which is logged once', () => {
  const { connections, warnings } = bounded({}, 1_024);
  expect(connections).toBeGreaterThan(600);
  expect(connections).toBeLessThan(900);
  expect(warnings).toEqual([{ configured: 4_000, connections, openFilesMax: 1_024 }]);
  const sharded = { LOCKYARD_BACKEND_A: 'mysql://a/x,mysql://b/y,leaving:mysql://c/z' };
  expect(bounded(sharded, 1_024).connections).toBeLessThan(connections);
  expect(bounded({}, 0).connections).toBeGreaterThanOrEqual(10);
});

test('a limit on open files that is high enough, or not known, changes and logs nothing', () => {
  for (const openFilesMax of [1_048_576, null]) {
    expect(bounded({}, openFilesMax)).toEqual({ connections: 4_000, warnings: [] });
  }
  const few = bounded({ LOCKYARD_CONNECTIONS: '50' }, 1_024);
  expect(few).toEqual({ connections: 50, warnings: [] });
});

test('a server with fewer open files than connections answers even as more connect', async () => {
  const { url, logged } = await start();
  for (let i = 0; i < OPEN_FILES + 50; i += 1) await open(url);
  const last = await open(url);
  last.write('GET /api/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [answer] = (await once(last, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
  expect(logged()).toMatch(/"configured":4000,"connections":\d+,"openFilesMax":320,/);
});

/** Starts the server with few open files. */
async function start() {
  await build({
    stdin: { contents: SERVER, resolveDir: process.cwd(), loader: 'ts' },
    outfile: bundle,
    ...serverBuild,
  });
  const limited = `ulimit -n ${OPEN_FILES} && exec '${process.execPath}' '${bundle}'`;
  const { PATH } = process.env;
  const started = spawn('/bin/sh', ['-c', limited], {
    env: { NODE_ENV: 'production', LOCKYARD_DATA_DIR: folder, ...(PATH && { PATH }) },
  });
  child = started;
  let text = '';
  started.stderr.on('data', (part) => {
    text += part;
  });
  const [url] = (await once(started.stdout, 'data')) as [Buffer];
  return { url: url.toString(), logged: () => text };
}

async function open(url: string): Promise<Socket> {
  const line = connect(Number(new URL(url).port), '127.0.0.1');
  line.on('error', () => undefined);
  lines.push(line);
  await once(line, 'connect');
  return line;
}

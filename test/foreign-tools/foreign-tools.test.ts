import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TYPED } from '@/client/testing/package-examples';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { openApiDocument } from '@/server/contract/openapi/openapi-document';
import { SERVICE_API } from '@/server/contract/service-api';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import { ApiHarness } from '../api-harness';
import { GENERATORS } from './generated-clients';

/** The tools, in tested versions. They are downloaded only for this test. */
const TOOLS = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.95.0',
  'orval@7.13.2',
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'typescript@5.9.3',
  '@types/node@22',
];

const INSTALL_MS = 900_000;
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'lockyard-tools-'));
const asynchronously = promisify(execFile);
const npmEnv = { ...process.env, npm_config_cache: join(folder, '.npm') };

const npm = (...args: string[]) =>
  execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: npmEnv,
    stdio: 'pipe',
  });

/** Runs a tool; returns its output, whether or not it accepts its input. */
async function tool(name: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const run = asynchronously(join(folder, 'node_modules/.bin', name), args, { cwd: folder });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, said: `${stdout}${stderr}` }),
  );
}

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.start();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument()));
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  execFileSync(process.execPath, [join(root, 'client/build.mjs')], { stdio: 'pipe' });
  npm('pack', join(root, 'client'), '--pack-destination', folder);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  npm('install', ...TOOLS, `./${tarball}`);
}, INSTALL_MS);

afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
}, INSTALL_MS);

function typeCheck(files: Record<string, string>, options: object) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, ...options };
  const settings = { compilerOptions, files: Object.keys(files) };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  return tool('tsc', '-p', '.');
}

describe('the description of the API has no warnings', () => {
  test('of Redocly', async () => {
    const { code, said } = await tool('redocly', 'lint', 'openapi.json');
    expect(said).toContain('Your API description is valid');
    expect(said).not.toMatch(/\d+ warning/);
    expect(code).toBe(0);
  });

  test('of Spectral', async () => {
    const { code, said } = await tool('spectral', 'lint', '--fail-severity=hint', 'openapi.json');
    expect(said).not.toContain('warning');
    expect(code).toBe(0);
  });
});

describe('a generated client calls every procedure without special settings', () => {
  test.each(Object.entries(GENERATORS))(
    '%s',
    async (name, { command: [program = '', ...args], program: source }) => {
      const generated = await tool(program, ...args);
      expect(generated, generated.said).toMatchObject({ code: 0 });
      const file = `use-${program}.ts`;
      const checked = await typeCheck(
        { [file]: source },
        { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', types: ['node'] },
      );
      expect(checked).toEqual({ code: 0, said: '' });

      const outfile = join(folder, `${file}.mjs`);
      const entryPoints = [join(folder, file)];
      await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm' });
      const service = name.replace(/\W/g, '-');
      const calls = Object.entries(SERVICE_API).map(([procedure, { kind, example }]) => [
        procedure,
        kind === 'query' ? 'GET' : 'POST',
        example,
      ]);
      const witness = await createApiKey(api.cli, {
        name: `witness-${service}`,
        namespaces: ['default'],
        witness: true,
      });
      const { stdout } = await asynchronously(process.execPath, [outfile], {
        env: {
          ...process.env,
          CALLS: JSON.stringify(calls),
          LOCKYARD_URL: api.url,
          LOCKYARD_API_KEY: await api.key(service),
          WITNESS_KEY: witness.key,
        },
      });
      const answers = JSON.parse(stdout);
      for (const procedure of Object.keys(SERVICE_API)) {
        const text = JSON.stringify(answers[procedure]);
        expect(answers[procedure]?.result?.data, `${procedure}: ${text}`).toBeDefined();
      }
    },
  );
});

describe('the package’s types are found', () => {
  test.each([
    ['node10', { module: 'esnext', moduleResolution: 'node10' }],
    ['node16', { module: 'node16', moduleResolution: 'node16' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('with the module resolution %s', async (_, options) => {
    const lib = ['es2024', 'dom', 'esnext.disposable'];
    const said = await typeCheck(
      { 'typed.ts': TYPED },
      { ...options, target: 'es2022', lib, types: ['node'], exactOptionalPropertyTypes: true },
    );
    expect(said).toEqual({ code: 0, said: '' });
  });
});

test('promtool accepts the metrics', async () => {
  const { text: metrics } = await api.send('/metrics');
  const complaints = execFileSync(findProgram(['promtool']) ?? '', ['check', 'metrics'], {
    input: metrics,
    encoding: 'utf8',
  });
  expect(complaints).toBe('');
});

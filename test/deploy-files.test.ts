import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import manifest from '@/package.json';
import { startOptions } from '@/scripts/process/start-options.mjs';
import { readConfig } from '@/server/bootstrap/config/config';
import { ApiHarness } from './api-harness';
import { copyOf, readContainerfile } from './installing/containerfile';

/** Longer than the server takes to end, whatever it is doing. */
const ENDS_WITHIN_S = 15;
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'lockyard-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8');
const stages = readContainerfile();
const all = (name: string) =>
  stages.flatMap(({ instructions }) => instructions.filter((each) => each.name === name));
const only = (name: string) => {
  const [instruction, ...others] = all(name);
  if (!instruction || others.length > 0) throw new Error(`${name} is not there once.`);
  return instruction.text;
};

interface Service {
  image: string;
  environment?: Record<string, string>;
  secrets?: string[];
  stop_grace_period?: string;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  networks: Record<string, { ipv4_address?: string }>;
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
};
const manifests = readdirSync(join(root, 'deploy/kubernetes')).flatMap((file) =>
  parseAllDocuments(read(`kubernetes/${file}`)).map((each) => each.toJS()),
);
const ofKind = (kind: string) => manifests.find((each) => each.kind === kind);
const pod = ofKind('Deployment').spec.template.spec;
const unit = read('lockyard.service');
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

/** Lockyard's own variables, with each file that one of them names in a folder of this test. */
function withSecrets(variables: Record<string, string>): Record<string, string> {
  const secrets: Record<string, string> = {
    LOCKYARD_DATABASE_URL_FILE: 'mysql://lockyard:secret@database:3306/lockyard',
    LOCKYARD_SECRET_FILE: 'R4nd0m and l0ng enough to be a secret',
    LOCKYARD_METRICS_TOKEN_FILE: 'a-token-for-the-scraper',
  };
  const named = Object.entries(variables).map(([name, value]) => {
    const secret = secrets[name];
    if (secret === undefined) return [name, value.replace(/\$\{\w+:-(.*)\}/, '$1')];
    const file = join(folder, name);
    writeFileSync(file, secret);
    return [name, file];
  });
  return Object.fromEntries(named);
}

test('every file that the image is built from exists, and reaches the builder', () => {
  const ignored = read('Containerfile.dockerignore').split('\n');
  const sources = all('COPY').map(({ text }) => copyOf(text));
  const paths = sources.filter(({ from }) => from === null).flatMap((each) => each.sources);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(ignored).toContain(`!${path}`);
  }
});

test('the image has fixed versions, and starts without rights as npm start does', () => {
  for (const { base } of stages) expect(base).toMatch(/^node:\d+\.\d+\.\d+-\w+-slim$/);
  expect(only('LABEL')).toContain(`image.version="${manifest.version}"`);
  expect(only('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  const command: string[] = JSON.parse(only('ENTRYPOINT'));
  expect(command.join(' ')).toBe(manifest.scripts.start);
  expect(existsSync(join(root, command.at(-1) ?? ''))).toBe(true);
});

test('the health check of the image succeeds only while a server answers', async () => {
  const [node = '', script = ''] = JSON.parse(only('HEALTHCHECK').split('CMD ')[1] ?? '');
  expect(node).toBe('node');
  const api = await ApiHarness.start();
  const { hostname: HOST, port: PORT } = new URL(api.url);
  const check = () =>
    promisify(execFile)(process.execPath, [join(root, script)], {
      env: { NODE_ENV: 'production', HOST, PORT },
    }).then(
      () => 'healthy',
      ({ code }) => code,
    );
  expect(await check()).toBe('healthy');
  await api.close();
  expect(await check()).toBe(1);
});

test('the settings in the examples are those of the server', () => {
  const { 'lockyard-1': one, 'lockyard-2': two } = compose.services;
  const files = Object.fromEntries(
    pod.containers[0].env.map((each: { name: string; value: string }) => [each.name, each.value]),
  );
  const environments = [
    one?.environment ?? {},
    two?.environment ?? {},
    { ...ofKind('ConfigMap').data, ...files },
    Object.fromEntries([setting('Environment').split('=')]),
  ];
  for (const variables of environments) {
    expect(Object.keys(variables).length).toBeGreaterThan(0);
    expect(() => readConfig(withSecrets(variables))).not.toThrow();
  }
});

test('the image serves the demo as the docs start it', () => {
  const page = readFileSync(join(root, 'docs/installing.md'), 'utf8');
  const [, options = '', rest = ''] =
    /`docker run ([^`]*) lockyard:[\d.]+([^`]*)` serves the demo/.exec(page) ?? [];
  const words = [...only('ENV').split(' '), ...options.split(' ')];
  const named = words.map((word) => /^(\w+)=(.*)$/.exec(word)).filter((match) => match !== null);
  const env = Object.fromEntries(named.map(([, name, value]) => [name, value]));
  const { variables } = startOptions(rest.split(' ').filter(Boolean), env);
  const { demo, dataDir, host } = readConfig({ ...env, ...variables });
  // Its link works only on this machine, and only the volume is writable.
  expect({ demo, host }).toEqual({ demo: true, host: '127.0.0.1' });
  expect(dataDir).toMatch(new RegExp(`^${only('VOLUME')}/`));
});

test('compose waits until each part is healthy, and contains no password', () => {
  const { haproxy, database, ...servers } = compose.services;
  expect(Object.keys(servers)).toEqual(['lockyard-1', 'lockyard-2']);
  const conditions = Object.values(compose.services).flatMap(({ depends_on: needs = {} }) =>
    Object.values(needs).map(({ condition }) => condition),
  );
  expect(conditions).toEqual(Array(4).fill('service_healthy'));
  expect([haproxy?.healthcheck, database?.healthcheck]).toEqual(
    [{}, {}].map(() => expect.any(Object)),
  );
  for (const { image, secrets = [] } of Object.values(compose.services)) {
    expect(image).toMatch(/:\d+\.\d+/);
    for (const secret of secrets) expect(compose.secrets[secret]?.file).toMatch(/^\.\/secrets\//);
  }
  expect(read('compose.yaml')).not.toMatch(/password: (?!"yes")/i);
});

test('HAProxy has the server addresses that compose assigns, and is the proxy they trust', () => {
  const addresses = [...read('haproxy.cfg').matchAll(/^ +server \w+ (\S+):3000$/gm)];
  const { 'lockyard-1': one, 'lockyard-2': two, haproxy } = compose.services;
  const addressOf = (service?: Service) => service?.networks.locks?.ipv4_address;
  expect(addresses.map(([, address]) => address)).toEqual([one, two].map(addressOf));
  expect(one?.environment?.LOCKYARD_TRUSTED_PROXIES).toBe(addressOf(haproxy));
});

test('all of them start this version as npm start does, and give it time to end', () => {
  const tag = `lockyard:${manifest.version}`;
  const { 'lockyard-1': one, 'lockyard-2': two } = compose.services;
  expect([one?.image, two?.image, pod.containers[0].image]).toEqual([tag, tag, tag]);
  expect(setting('ExecStart')).toBe(`/usr/bin/${manifest.scripts.start}`);
  const preStopS = Number(pod.containers[0].lifecycle.preStop.exec.command[1]);
  for (const [allowed, least] of [
    [one?.stop_grace_period, ENDS_WITHIN_S],
    [setting('TimeoutStopSec'), ENDS_WITHIN_S],
    [pod.terminationGracePeriodSeconds, ENDS_WITHIN_S + preStopS],
  ]) {
    expect(Number.parseInt(String(allowed), 10)).toBeGreaterThan(Number(least));
  }
});

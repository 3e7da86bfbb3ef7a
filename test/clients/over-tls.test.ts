import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestAuthority } from '@/server/storage/conformance/testing/test-authority';
import { ClientAgent } from './client-agent';
import { LANGUAGES } from './languages';

const run = promisify(execFile);

let folder: string;
let authority: TestAuthority;
let server: Server;
let url: string;
let trustStore: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockyard-tls-'));
  authority = new TestAuthority();
  const { key, cert } = authority.sign('IP:127.0.0.1');
  const files = { key: readFileSync(key), cert: readFileSync(cert) };
  const body = JSON.stringify({ result: { data: { state: 'free', holders: [], waiters: [] } } });
  server = createServer(files, (_, reply) => void reply.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  trustStore = join(folder, 'authorities.p12');
  const into = ['-keystore', trustStore, '-storetype', 'PKCS12', '-storepass', 'changeit'];
  await run('keytool', [
    '-importcert',
    '-noprompt',
    '-alias',
    'a',
    '-file',
    authority.file,
    ...into,
  ]);
});
afterAll(async () => {
  server.close();
  authority.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The variables that name a certificate authority of one's own: see docs/other-languages.md. */
const trusting = () => ({
  NODE_EXTRA_CA_CERTS: authority.file,
  SSL_CERT_FILE: authority.file,
  JAVA_TOOL_OPTIONS: [
    `-Djavax.net.ssl.trustStore=${trustStore}`,
    '-Djavax.net.ssl.trustStorePassword=changeit',
  ].join(' '),
});

describe.each(LANGUAGES)('the client in $language', (language) => {
  let program: Awaited<ReturnType<typeof language.prepare>>;
  beforeAll(async () => {
    program = await language.prepare(folder);
  }, 300_000);

  async function inspect(variables: Record<string, string>) {
    const named = { LOCKYARD_URL: url, LOCKYARD_API_KEY: 'key' };
    const agent = ClientAgent.start(program, { ...named, ...variables });
    try {
      return await agent.call('inspect', { name: 'job' });
    } finally {
      await agent.close();
    }
  }

  test('accepts a certificate of an authority that its environment names', async () => {
    expect((await inspect(trusting())).answer).toMatchObject({ state: 'free' });
  });

  test('has not sent anything to a server whose certificate it does not accept', async () => {
    const refused = await inspect({});
    expect(refused).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
  });

  test('has not sent anything to a server that does not speak TLS', async () => {
    const plain = createPlainServer();
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    const refused = await inspect({ LOCKYARD_URL: `https://127.0.0.1:${port}` });
    plain.close();
    expect(refused).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
  });

  test('has not sent anything to a server that hangs up before the encryption begins', async () => {
    const closing = createTcpServer((socket) => socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const { port } = closing.address() as AddressInfo;
    const refused = await inspect({ LOCKYARD_URL: `https://127.0.0.1:${port}` });
    closing.close();
    expect(refused).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
  });
});

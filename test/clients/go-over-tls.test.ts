import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestAuthority } from '@/server/storage/conformance/testing/test-authority';
import { ClientAgent } from './client-agent';
import { LANGUAGES } from './languages';

const LEASE_MS = 4_500;

/** A server with HTTP/2 whose first connection falls silent once a lock is granted there. */
function serverThatFallsSilent(authority: TestAuthority) {
  const { key, cert } = authority.sign('IP:127.0.0.1');
  const files = { key: readFileSync(key), cert: readFileSync(cert) };
  let grantedAt: number | undefined;
  let renewals = 0;
  const dataOf = (url: string, from: number | undefined) => {
    const lease = { rev: 1, expiresAt: Date.now() + LEASE_MS, expiresInMs: LEASE_MS };
    if (url.endsWith('lock.acquire')) {
      grantedAt = from;
      return { outcome: 'granted', token: 1, holdCount: 1, waitedMs: 0, ...lease };
    }
    if (from === grantedAt) return null;
    if (url.endsWith('lock.release')) return { outcome: 'released' };
    renewals += 1;
    return { outcome: 'renewed', ...lease };
  };
  const answer = ({ url, socket }: Http2ServerRequest, reply: Http2ServerResponse) => {
    const data = dataOf(url, socket.remotePort);
    if (data) reply.end(JSON.stringify({ result: { data } }));
  };
  const server = createSecureServer({ ...files, allowHTTP1: true }, answer);
  return { server, renewals: () => renewals };
}

test('a hold of the client for Go outlives its connection, even if HTTP/2 is offered', async () => {
  const go = LANGUAGES.find(({ language }) => language === 'Go');
  if (!go) throw new Error('no Go');
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-go-'));
  const authority = new TestAuthority();
  const { server, renewals } = serverThatFallsSilent(authority);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = ClientAgent.start(await go.prepare(folder), {
    LOCKYARD_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    LOCKYARD_API_KEY: 'key',
    SSL_CERT_FILE: authority.file,
  });
  try {
    const work = agent.lock('job', { leaseMs: LEASE_MS });
    await work.begun();
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  } finally {
    await agent.close();
    server.close();
    authority.remove();
    await rm(folder, { recursive: true });
  }
});

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createService, expect, signIn, test } from './lockyard-test';
import { pageProcessOf } from './page-processes';
import type { RunningServer } from './start-server';

/** Where only Linux shows what a process has open. */
const isLinux = process.platform === 'linux';

async function eventually(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 100) {
    if (await isSo()) return;
    await pause(100);
  }
  throw new Error(`Not within 30 s: ${what}`);
}

test('while the page process is dead a page is 503, and the APIs keep working', async ({
  server,
  admin,
  page,
  context,
}) => {
  await signIn(context, server, admin);
  const orders = await createService(server, admin, 'orders');
  const headers = { cookie: admin.cookie };
  const before = pageProcessOf(server);
  if (before === null) throw new Error('There is no process that renders pages.');
  process.kill(before, 'SIGKILL');
  let refused: Response | null = null;
  await eventually('a refusal', async () => {
    const reply = await fetch(`${server.url}/audit`, { headers });
    if (reply.status === 503) refused = reply;
    return reply.status === 503;
  });
  const { headers: said } = refused as unknown as Response;
  expect(Number(said.get('retry-after'))).toBeGreaterThan(0);
  expect(said.get('content-type')).toContain('text/html');
  expect((await orders.acquire({ name: 'beside-pages', leaseMs: 5_000 })).outcome).toBe('granted');
  expect((await fetch(`${server.url}/api/health/ready`)).status).toBe(200);
  for (const path of ['/docs', '/sign-in', '/nope']) {
    const { status } = await fetch(server.url + path, { redirect: 'manual' });
    expect([path, status]).toEqual([path, path === '/nope' ? 404 : 200]);
  }
  // The refusal page retries automatically.
  await page.goto('/audit');
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible({ timeout: 90_000 });
  expect(pageProcessOf(server)).not.toBe(before);
});

// The tests of the page supervisor prove the replacement too.
test('while the page process is stopped a page is 503, until it is replaced @long', async ({
  server,
  admin,
}) => {
  const headers = { cookie: admin.cookie };
  const before = pageProcessOf(server);
  if (before === null) throw new Error('There is no process that renders pages.');
  process.kill(before, 'SIGSTOP');
  const askedAt = performance.now();
  const reply = await fetch(`${server.url}/audit`, { headers });
  expect(reply.status).toBe(503);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(performance.now() - askedAt).toBeLessThan(20_000);
  await eventually('a page', async () => {
    const { status } = await fetch(`${server.url}/audit`, { headers });
    return status === 200;
  });
  expect(pageProcessOf(server)).not.toBe(before);
});

test('both processes communicate over sockets only for their user, and pages open no port', async ({
  server,
}) => {
  const sockets = readdirSync(server.dataDir).filter((name) => name.endsWith('.sock'));
  expect(sockets.map((name) => name.split('.')[0]).sort()).toEqual(['console', 'control', 'pages']);
  for (const name of sockets) {
    expect(statSync(join(server.dataDir, name)).mode & 0o777).toBe(0o600);
  }
  if (isLinux) expectNoPort(pageProcessOf(server));
});

function expectNoPort(child: number | null): void {
  const open = readdirSync(`/proc/${child}/fd`).map((fd) => linkOf(`/proc/${child}/fd/${fd}`));
  const listening = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${child}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  expect(open.filter((target) => listening.includes(target))).toEqual([]);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('a page from memory has the nonce of its own answer and the address of its request', async ({
  server,
  admin,
}) => {
  expect(admin.role).toBe('admin');
  for (const path of ['/docs', '/sign-in', '/nope']) {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const reply = await fetch(server.url + path);
        const text = await reply.text();
        const policy = reply.headers.get('content-security-policy') ?? '';
        const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
        const carried = [...text.matchAll(/<script[^>]*>/g)].map(
          ([tag]) => / nonce="([^"]*)"/.exec(tag)?.[1],
        );
        expect(carried.length).toBeGreaterThan(3);
        expect(new Set(carried)).toEqual(new Set([nonce]));
        return nonce;
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  }
  const text = await readAs(server, 'lockyard.example:8443');
  expect(text).toContain('http://lockyard.example:8443/api/v1/lock.acquire');
  expect(text).not.toContain('.invalid');
  // A header never becomes markup.
  expect(await readAs(server, '"><script>alert(1)</script>')).not.toContain('alert(1)');
});

/** The page of the API as read by a caller who uses another name for the server. */
function readAs({ url }: RunningServer, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/docs`, { headers: { host } }, (res) => {
      res.setEncoding('utf8');
      let text = '';
      res.on('data', (piece: string) => {
        text += piece;
      });
      res.on('end', () => resolve(text));
    });
    call.on('error', reject);
    call.end();
  });
}

test('an address without a page is 404 whatever state a client navigation sends', async ({
  server,
}) => {
  const states = [
    undefined,
    '%5B%5D',
    'garbage',
    '%',
    encodeURIComponent('["",{},null,"refetch"]'),
  ];
  for (const state of states) {
    const headers = { rsc: '1', ...(state && { 'next-router-state-tree': state }) };
    for (const path of ['/nope', '/nope/nope?_rsc=1', '/locks/X', '/_next/static/nope.js']) {
      const { status } = await fetch(server.url + path, { headers, redirect: 'manual' });
      expect([path, state, status]).toEqual([path, state, 404]);
    }
  }
});

test('a page about something that does not exist is 404, and says so without scripts', async ({
  server,
  admin,
}) => {
  const headers = { cookie: admin.cookie };
  const paths = ['/locks/nope/x', '/backends/nope', '/counters/nope/x', '/counters/default/never'];
  for (const path of paths) {
    const reply = await fetch(server.url + path, { headers });
    expect([path, reply.status]).toEqual([path, 404]);
    expect(await reply.text()).toContain('Page not found</h1>');
    for (const encoding of ['gzip', 'identity']) {
      const asNavigation = { ...headers, rsc: '1', 'accept-encoding': encoding };
      const { status } = await fetch(server.url + path, { headers: asNavigation });
      expect([path, encoding, status]).toEqual([path, encoding, 404]);
    }
  }
  for (const path of ['/backends', '/locks/default/never']) {
    const asNavigation = { ...headers, rsc: '1' };
    expect((await fetch(server.url + path, { headers })).status).toBe(200);
    expect((await fetch(server.url + path, { headers: asNavigation })).status).toBe(200);
  }
});

test('no state that a client navigation may send makes a page fail', async ({ server, admin }) => {
  const states = [
    ['', {}],
    ['', { children: ['nope', {}] }, null, 'refetch'],
    ['', { children: ['(console)', { children: ['__PAGE__', {}] }] }, null, 'inside-shared-layout'],
    [
      'x',
      { other: ['', { children: [['a', 'b', 'd', null], {}] }] },
      ['a', 'b'],
      'metadata-only',
      3,
    ],
    [['a', 'b', 'oc', ['c']], { __proto__: null, constructor: ['', {}] }],
    [],
    ['', []],
  ];
  for (const state of states) {
    const headers = {
      cookie: admin.cookie,
      rsc: '1',
      'next-router-state-tree': encodeURIComponent(JSON.stringify(state)),
    };
    for (const path of ['/', '/audit', '/locks/default/nope', '/docs']) {
      const { status } = await fetch(`${server.url}${path}`, { headers });
      expect([JSON.stringify(state), path, status < 500]).toEqual([
        JSON.stringify(state),
        path,
        true,
      ]);
    }
  }
});

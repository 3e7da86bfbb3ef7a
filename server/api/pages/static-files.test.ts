import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acceptsGzip, StaticFiles } from './static-files';

it('the icon is answered at both addresses at which browsers ask for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
  await mkdir(join(folder, 'static'));
  await mkdir(join(folder, 'server/app'), { recursive: true });
  await writeFile(join(folder, 'server/app/icon.svg.body'), '<svg/>');
  const files = await StaticFiles.read(folder);
  const server = createServer((req, res) => void files.answer(res, req.url ?? ''));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const address of ['/icon.svg', '/favicon.ico']) {
    expect(files.isFile(address)).toBe(true);
    const answer = await fetch(`http://127.0.0.1:${port}${address}`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(await answer.text()).toBe('<svg/>');
  }
  expect((await fetch(`http://127.0.0.1:${port}/other.ico`)).status).toBe(404);
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

it.each<[string | undefined, boolean]>([
  ['gzip', true],
  ['br;q=1.0, GZIP;q=0.5', true],
  ['deflate,gzip', true],
  [undefined, false],
  ['br', false],
  ['x-gzip', false],
  ['gzip;q=0', false],
  ['gzip ; q=0.000 , br', false],
])('of who sends Accept-Encoding: %s, gzip is accepted: %s', (header, isAccepted) => {
  expect(acceptsGzip(header)).toBe(isAccepted);
});

it('a header full of spaces keeps no other caller waiting', () => {
  const startedAt = performance.now();
  expect(acceptsGzip(`gzip${' '.repeat(60_000)};q=0`)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(300);
});

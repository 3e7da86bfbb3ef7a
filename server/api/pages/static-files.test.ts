import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acceptsGzip, StaticFiles } from './static-files';

/** Serves the files of a build that has an icon only. */
async function withIcon(use: (url: string, files: StaticFiles) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
  await mkdir(join(folder, 'static'));
  await mkdir(join(folder, 'server/app'), { recursive: true });
  await writeFile(join(folder, 'server/app/icon.svg.body'), '<svg/>');
  const files = await StaticFiles.read(folder);
  const server = createServer((req, res) => void files.answer(res, req.url ?? ''));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await use(`http://127.0.0.1:${port}`, files);
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
}

it('the icon is answered at both addresses at which browsers ask for it', () =>
  withIcon(async (url, files) => {
    for (const address of ['/icon.svg', '/favicon.ico']) {
      expect(files.isFile(address)).toBe(true);
      const answer = await fetch(url + address);
      expect(answer.headers.get('content-type')).toBe('image/svg+xml');
      expect(await answer.text()).toBe('<svg/>');
    }
    expect((await fetch(`${url}/other.ico`)).status).toBe(404);
  }));

it('a file is not sent again to a browser that has it, even behind a proxy that compresses', () =>
  withIcon(async (url) => {
    const asked = async (known: string) => {
      const { status } = await fetch(`${url}/icon.svg`, { headers: { 'If-None-Match': known } });
      return status;
    };
    const etag = (await fetch(`${url}/icon.svg`)).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"older", ${etag}`, '*']) {
      expect(await asked(known), known).toBe(304);
    }
    expect(await asked('"older"')).toBe(200);
  }));

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

it('a header full of spaces delays no other caller', () => {
  const startedAt = process.cpuUsage();
  expect(acceptsGzip(`gzip${' '.repeat(60_000)};q=0`)).toBe(false);
  // If every pair of spaces is examined, it takes seconds.
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(300);
});

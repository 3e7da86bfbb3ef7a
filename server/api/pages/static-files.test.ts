import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StaticFiles } from './static-files';

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

import { chmodSync, readdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { newSocketPath } from '@/server/platform/files/socket-path';
import { StartError } from '@/server/platform/start-error';
import { randomText } from '../../../auth/random-text';

const TAG_CHARS = 6;
const OURS = /^(pages|console)\.[0-9A-Za-z]{6}\.sock$/;

export interface PrivateSockets {
  /** Where the page process listens. */
  pages: string;
  /** Where the lock process answers the page process. */
  console: string;
  /** Deletes the files of both. */
  remove(): void;
}

/**
 * Two socket names for this process in the data folder, which several servers may share. Deletes
 * the sockets that killed servers left there.
 *
 * @throws StartError when the folder's path is too long for a socket
 */
export async function privateSockets(dataDir: string): Promise<PrivateSockets> {
  await removeDeadSockets(dataDir);
  const tag = randomText(TAG_CHARS);
  const pages = newSocketPath(dataDir, `pages.${tag}.sock`);
  const console = newSocketPath(dataDir, `console.${tag}.sock`);
  const remove = () => {
    for (const path of [pages, console]) rmSync(path, { force: true });
  };
  return { pages, console, remove };
}

/** Listens on a socket that only this user may open. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new StartError(`The socket ${path} cannot be opened.`, { cause })),
    );
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
}

async function removeDeadSockets(dataDir: string): Promise<void> {
  const found = readdirSync(dataDir).filter((name) => OURS.test(name));
  await Promise.all(
    found.map(async (name) => {
      const path = newSocketPath(dataDir, name);
      if (await isDead(path)) rmSync(path, { force: true });
    }),
  );
}

function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral ports of the system, so that a server that restarts gets its port back. */
const FROM = 15_000;
const TO = 32_000;

/** A port to try, at random. */
export const anyPort = () => randomInt(FROM, TO);

/** The ports that this process was given: their servers may not have started yet. */
const given = new Set();

/** A port of 127.0.0.1 that no process listens on at this moment, different at each call. */
export async function freePort(choose = anyPort) {
  for (;;) {
    const port = choose();
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const LISTENER = `const { createServer } = require('node:net');
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    console.log(server.address().port);
  });`;

/** An address where connections are neither accepted nor refused, as if packets were lost. */
export async function openFullPort(): Promise<{ url: string; close(): void }> {
  const stopped = spawn(process.execPath, ['-e', LISTENER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(stopped.stdout, 'data');
  stopped.kill('SIGSTOP');
  // Nothing is accepted any more: the kernel queues a few connections, and drops the rest.
  const sockets = Array.from({ length: 10 }, () =>
    connect(Number(port), '127.0.0.1').on('error', () => {}),
  );
  await sleep(100);
  return {
    url: `http://127.0.0.1:${Number(port)}`,
    close() {
      for (const socket of sockets) socket.destroy();
      stopped.kill('SIGKILL');
    },
  };
}

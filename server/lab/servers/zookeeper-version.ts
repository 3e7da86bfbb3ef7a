import { connect } from 'node:net';

const ANSWER_WITHIN_MS = 1_000;

/** The version that ZooKeeper reports by its command `srvr`; null if that is not allowed. */
export function askVersion({ host, port }: { host: string; port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, host, () => socket.write('srvr'));
    const end = () => {
      socket.destroy();
      resolve(/^Zookeeper version: ([\w.]+)/i.exec(answer)?.[1] ?? null);
    };
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.once('close', end);
    socket.once('error', end);
    socket.setTimeout(ANSWER_WITHIN_MS, end);
  });
}

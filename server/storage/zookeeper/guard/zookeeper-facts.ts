import { type ServerAddress, socketTo } from '../client/zookeeper-connection';

const ANSWER_WITHIN_MS = 1_000;

/** What one server reports about itself, word for word. */
export interface ZookeeperFacts {
  /** `host:port`, as configured. */
  name: string;
  /** Its answers to `srvr` and `conf`; null if it is silent, a refusal if the word is forbidden. */
  srvr: string | null;
  conf: string | null;
}

/** Asks every server separately, whichever ensemble it belongs to. */
export function readZookeeperFacts(servers: ServerAddress[]): Promise<ZookeeperFacts[]> {
  return Promise.all(
    servers.map(async (server) => {
      const [srvr, conf] = await Promise.all([ask(server, 'srvr'), ask(server, 'conf')]);
      return { name: `${server.host}:${server.port}`, srvr, conf };
    }),
  );
}

/** A server's answer to a four-letter word; null if it is not responding. */
function ask(server: ServerAddress, word: string): Promise<string | null> {
  return new Promise((resolve) => {
    let received = '';
    const socket = socketTo(server, () => socket.write(word));
    const end = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      if (received.length > 100_000) end(received);
    });
    socket.on('error', () => end(null));
    socket.on('close', () => end(received));
    socket.setTimeout(ANSWER_WITHIN_MS, () => end(received === '' ? null : received));
  });
}

import { type ServerAddress, socketTo } from './zookeeper-socket';

const ANSWER_WITHIN_MS = 1_000;

/** What one server says of itself, word for word. */
export interface ZookeeperFacts {
  /** `host:port`, as it was named to us. */
  name: string;
  /** What it answers to `srvr`, and to `conf`; null where it is not there, a refusal where it may not say. */
  srvr: string | null;
  conf: string | null;
}

/** Asks every server by itself, whatever ensemble it belongs to. */
export function readZookeeperFacts(servers: ServerAddress[]): Promise<ZookeeperFacts[]> {
  return Promise.all(
    servers.map(async (server) => {
      const [srvr, conf] = await Promise.all([ask(server, 'srvr'), ask(server, 'conf')]);
      return { name: `${server.host}:${server.port}`, srvr, conf };
    }),
  );
}

/** What a server says to one of its four-letter words; null where it is not there. */
function ask(server: ServerAddress, word: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    const socket = socketTo(server, () => socket.write(word));
    const end = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (chunk) => {
      said += chunk.toString('utf8');
      if (said.length > 100_000) end(said);
    });
    socket.on('error', () => end(null));
    socket.on('close', () => end(said));
    socket.setTimeout(ANSWER_WITHIN_MS, () => end(said === '' ? null : said));
  });
}

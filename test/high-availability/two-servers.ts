import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type OwnMariadb, startOwnMariadb } from '@/e2e/own-mariadb';
import { type RunningServer, startServer } from '@/e2e/start-server';
import { ExampleHaproxy } from './example-haproxy';
import { GrantReferee } from './grant-referee';
import { LockTraffic, type Seen } from './lock-traffic';

const root = resolve(import.meta.dirname, '../..');
const ENOUGH_GRANTS = 3;
const SECRET = 'one secret for both of the two servers';

/** How callers find their server: through HAProxy, or by the client's own list of addresses. */
export type SeenByRoute = Record<'haproxy' | 'addresses', Seen>;

/**
 * Two servers over a MariaDB that flushes every commit, behind HAProxy as in `deploy/haproxy.cfg`,
 * with callers that never pause.
 */
export class TwoServers {
  readonly referee = new GrantReferee();
  private traffic: LockTraffic[] = [];

  private constructor(
    readonly database: OwnMariadb,
    readonly servers: readonly [RunningServer, RunningServer],
    private readonly haproxy: ExampleHaproxy,
    private readonly variables: Record<string, string>,
    private readonly apiKey: string,
  ) {}

  /** @param folder of the program, built */
  static async start(folder = root): Promise<TwoServers> {
    const database = await startOwnMariadb({ durable: true });
    const servers: RunningServer[] = [];
    try {
      const variables = { LOCKYARD_DATABASE_URL: database.url, LOCKYARD_SECRET: SECRET };
      const one = await startServer(variables, /ready on/, folder);
      servers.push(one);
      const two = await startServer(variables, /ready on/, folder);
      servers.push(two);
      const own = { ...variables, LOCKYARD_DATA_DIR: one.dataDir };
      const apiKey = createKey(folder, own, []);
      const haproxy = await ExampleHaproxy.start([one.url, two.url]);
      return new TwoServers(database, [one, two], haproxy, own, apiKey);
    } catch (error) {
      await Promise.all(servers.map((server) => server.discard()));
      await database.discard();
      throw error;
    }
  }

  /**
   * Creates a key with the command line of the first server.
   *
   * @param folder of the program
   * @param limits further arguments of the command
   */
  createKey(folder: string, limits: string[]): string {
    return createKey(folder, this.variables, limits);
  }

  async beginTraffic(): Promise<void> {
    const { apiKey, referee, servers } = this;
    const [one, two] = servers;
    const routes = { haproxy: this.haproxy.url, addresses: `${one.url},${two.url}` };
    this.traffic = await Promise.all(
      Object.entries(routes).map(([kind, url]) => LockTraffic.start(kind, url, apiKey, referee)),
    );
  }

  /** Waits until callers of both routes are granted locks. */
  async untilGranting(withinMs = 60_000): Promise<void> {
    this.look();
    const grants = { haproxy: 0, addresses: 0 };
    const giveUpAt = performance.now() + withinMs;
    while (Math.min(grants.haproxy, grants.addresses) < ENOUGH_GRANTS) {
      if (performance.now() > giveUpAt) throw new Error('Callers are not granted any locks.');
      await pause(100);
      const seen = this.look();
      grants.haproxy += seen.haproxy.grants;
      grants.addresses += seen.addresses.grants;
    }
  }

  /** What callers have seen since the previous call. */
  look(): SeenByRoute {
    const [haproxy, addresses] = this.traffic.map((each) => each.look());
    if (!haproxy || !addresses) throw new Error('There is no traffic.');
    return { haproxy, addresses };
  }

  /** Ends all callers; returns how many steps of a counter were promised to them, and its value. */
  async endTraffic(): Promise<{ promised: number; value: number | undefined }> {
    await Promise.all(this.traffic.map((each) => each.stop()));
    const promised = this.traffic.reduce((sum, { steps }) => sum + steps, 0);
    return { promised, value: await this.traffic[0]?.counterValue() };
  }

  async close(): Promise<void> {
    await Promise.all(this.traffic.map((each) => each.abandon()));
    await this.haproxy.stop();
    await Promise.all(this.servers.map((server) => server.discard()));
    await this.database.discard();
  }
}

function createKey(folder: string, variables: Record<string, string>, limits: string[]): string {
  const words = ['keys', 'create', '--name', 'traffic', '--namespace', 'default', ...limits];
  return execFileSync(process.execPath, ['.next/lockyard/cli.mjs', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...variables },
    encoding: 'utf8',
  }).trim();
}

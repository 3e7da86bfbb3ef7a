import { vi } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';
import { KEYS } from '../../redis/redis-script';
import { asAdminOf } from './redis-rig';

type Server = Awaited<ReturnType<typeof startPrivateRedis>>;

const SOON = { timeout: 25_000, interval: 20 };
const MIGRATE_MAX_MS = 10_000;

/** The move of the slot with all our keys from one node of a cluster to another, key by key. */
export class MovingSlot {
  private constructor(
    private readonly from: Server,
    private readonly to: Server,
  ) {}

  /** @param from a cluster of one, with all slots */
  static async begin(from: Server): Promise<MovingSlot> {
    const to = await startPrivateRedis({
      settings: ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
    });
    const [, bus = ''] = /@(\d+)/.exec(await cluster(to, 'NODES')) ?? [];
    await cluster(from, 'MEET', '127.0.0.1', portOf(to), bus);
    // Before it imports the slot: while importing, it does not learn the slot's owner.
    await vi.waitFor(async () => {
      if (!(await cluster(to, 'INFO')).includes('cluster_state:ok')) throw new Error('Not yet.');
    }, SOON);
    const slot = await cluster(from, 'KEYSLOT', KEYS.marker);
    const [source, target] = [await cluster(from, 'MYID'), await cluster(to, 'MYID')];
    await cluster(to, 'SETSLOT', slot, 'IMPORTING', source);
    await cluster(from, 'SETSLOT', slot, 'MIGRATING', target);
    return new MovingSlot(from, to);
  }

  /** Moves these keys, if they exist. */
  async move(...keys: string[]): Promise<void> {
    await asAdminOf(this.from.url, async (admin) => {
      const port = portOf(this.to);
      for (const key of keys) {
        await admin.call('MIGRATE', '127.0.0.1', port, key, 0, MIGRATE_MAX_MS);
      }
    });
  }

  /** The content of both nodes: the value and the expiry of each key. */
  async contents(): Promise<Map<string, string>> {
    const found = await Promise.all([contentsOf(this.from), contentsOf(this.to)]);
    return new Map(found.flat());
  }

  stop(): Promise<void> {
    return this.to.stop();
  }
}

const portOf = ({ url }: Server) => new URL(url).port;

async function cluster({ url }: Server, ...words: string[]): Promise<string> {
  return String(await asAdminOf(url, (admin) => admin.call('CLUSTER', ...words)));
}

async function contentsOf({ url }: Server): Promise<[key: string, content: string][]> {
  return asAdminOf(url, async (admin) => {
    const keys = await admin.keys('*');
    const asked = keys.map(async (key): Promise<[string, string]> => {
      // A node that imports a slot answers only after `ASKING`.
      const [, value, , expiresAt] = await Promise.all([
        admin.call('ASKING'),
        admin.callBuffer('DUMP', key),
        admin.call('ASKING'),
        admin.call('PEXPIRETIME', key),
      ]);
      return [key, `${(value as Buffer).toString('base64')} ${expiresAt}`];
    });
    return Promise.all(asked);
  });
}

import { join } from 'node:path';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import type { DatabaseUrl } from '@/db/urls/backend-url';
import { NotGranted } from '@/server/strategies/not-granted';
import { thenRelease } from '@/server/strategies/then-release';
import { DEFAULT_POLICY, QUEUE_LIMIT_MAX } from '../../contract/namespace-policy';
import { createEngine } from '../../engine/create-engine';
import type { LockEngine } from '../../engine/lock-engine';
import { newWriter } from '../../engine/new-writer';
import { anonymousRequest } from '../../engine/request-identity';
import { systemClock } from '../../platform/clock';
import { openStore } from '../../storage/open-store';
import type { EntryServers } from '../race/entry-servers';
import { type EntryParts, type RaceEntry, RefusedWrite } from '../race/race-entry';
import type { Confirmation, Think } from '../race/stock';

const SERVICE = 'lab';
const NAMESPACE = 'default';
const DATABASE = '_service';
const POLICY = { ...DEFAULT_POLICY, queueLimit: QUEUE_LIMIT_MAX };
const WAIT = { holdRequestMs: 25_000 };

/** Lockyard's own lock and counter: an engine as in a server, over a database of the run. */
export const serviceEntries: Record<string, RaceEntry> = {
  'service-lock': {
    isServed: true,
    prepare: ({ servers }) => createServiceDatabase(servers),
    async open(parts) {
      const { engine, close } = await openEngine(parts.servers);
      let buyers = 0;
      return {
        confirm: (think) => {
          buyers += 1;
          return sellUnderLock(engine, parts, `buyer-${buyers}`, think);
        },
        close,
      };
    },
  },
  'service-counter': {
    isServed: true,
    prepare: ({ servers }) => createServiceDatabase(servers),
    async open({ servers, stock }) {
      const { engine, close } = await openEngine(servers);
      const key = { namespace: NAMESPACE, name: 'stock' };
      const party = { service: SERVICE };
      const initial = await stock.quantity();
      const bounds = { floor: 0, ceiling: null };
      await engine.count(key, { verb: 'create', initial, ...bounds, party, request: null });
      return {
        async confirm(think) {
          await think();
          const step = { verb: 'add', delta: -1, party, request: null } as const;
          const { outcome } = await engine.count(key, step);
          if (outcome !== 'applied') return 'sold out';
          await stock.addOrderLine();
          return 'sold';
        },
        async left() {
          const answer = await engine.count(key, { verb: 'get' });
          return 'value' in answer ? answer.value : Number.NaN;
        },
        close,
      };
    },
  },
};

/**
 * Sells one unit under a lock of the service. The stock row compares the fencing token, so what a
 * caller writes after its lease has ended is refused.
 */
async function sellUnderLock(
  engine: LockEngine,
  { stock, leaseMs, waitMs, note }: EntryParts,
  owner: string,
  think: Think,
): Promise<Confirmation> {
  const key = { namespace: NAMESPACE, name: 'stock' };
  const self = { service: SERVICE, owner };
  const answer = await engine.acquire(
    key,
    {
      verb: 'acquire',
      ...self,
      leaseMs,
      waitMs,
      mode: 'exclusive',
      reentrant: false,
      meta: {},
      request: anonymousRequest(),
    },
    WAIT,
  );
  if (answer.outcome !== 'granted') {
    note('conflict');
    throw new NotGranted(key.name, answer.outcome);
  }
  const { token } = answer;
  const outcome = await thenRelease(
    () => stock.sellGuarded(token, think),
    () => engine.run(key, { verb: 'release', ...self, token, request: null }),
  );
  if (outcome !== 'refused') return outcome;
  note('conflict');
  throw new RefusedWrite();
}

async function createServiceDatabase(servers: EntryServers): Promise<void> {
  if (servers.place.servers.mysql) await servers.createDatabase(DATABASE);
}

function serviceUrl(servers: EntryServers): DatabaseUrl {
  return servers.place.servers.mysql
    ? { kind: 'mysql', url: servers.databaseUrl(DATABASE) }
    : { kind: 'sqlite', path: join(servers.place.folder, 'service.db') };
}

async function openEngine(servers: EntryServers) {
  const url = serviceUrl(servers);
  const database = await openDatabase(url);
  try {
    await migrate(database);
    const store = await openStore(url, database, systemClock);
    const engine = await createEngine({
      backend: NAMESPACE,
      kind: url.kind,
      store,
      epochOf: () => 1,
      clock: systemClock,
      processId: newWriter(),
      newWriter,
      policyOf: () => POLICY,
    });
    const close = async () => {
      await engine.close();
      await database.close();
    };
    return { engine, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

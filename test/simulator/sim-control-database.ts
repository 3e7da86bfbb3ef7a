import { createClient } from '@libsql/client';
import { isNotNull } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, Db } from '@/db/database';
import { causes } from '@/db/database-failure';
import { migrate } from '@/db/migrate';
import { CASING, type Schema } from '@/db/schema';
import * as tables from '@/db/sqlite/sqlite-schema';
import { StoreError } from '@/server/storage/record-store';
import type { SimLink } from './sim-link';

let opened: Promise<Database> | undefined;

/**
 * The control database of the worlds that need one: a real SQLite in memory, created once and
 * emptied for each of them.
 */
export async function emptyControlDatabase(): Promise<Database> {
  opened ??= openControl();
  const control = await opened;
  const { audit, backends } = control.tables;
  await control.db.delete(backends).where(isNotNull(backends.id));
  await control.db.delete(audit).where(isNotNull(audit.id));
  return control;
}

async function openControl(): Promise<Database> {
  const client = createClient({ url: ':memory:' });
  const ofOthers = () => {
    throw new Error('Nothing in a simulation asks for this.');
  };
  const control: Database = {
    kind: 'sqlite',
    db: drizzle({ client, casing: CASING }) as unknown as Db,
    tables: tables as unknown as Schema,
    transaction: ofOthers,
    raw: { ask: ofOthers, transaction: ofOthers, batch: ofOthers },
    forUpdate: (query) => query,
    isDuplicateKey: (error) => causes(error).some((cause) => /UNIQUE/.test(String(cause))),
    affectedRows: (result) => (result as unknown as { rowsAffected: number }).rowsAffected,
    sqlite: {
      client,
      write: (job) => job(client),
      writeAside: ofOthers,
      flushed: async () => undefined,
      close: async () => client.close(),
    },
    close: async () => client.close(),
  };
  await migrate(control);
  return control;
}

/**
 * The same database as one process reaches it: each statement is sent over `link`, and may be late,
 * lost or never answered.
 */
export function controlDatabaseOver(control: Database, link: SimLink): Database {
  return { ...control, db: overLink(control.db, link) };
}

/** A query is built immediately, and sent when it is awaited. */
function overLink<T extends object>(builder: T, link: SimLink): T {
  return new Proxy(builder, {
    get(target, property) {
      const part: unknown = Reflect.get(target, property, target);
      if (typeof part !== 'function') return part;
      if (property !== 'then') {
        return (...args: unknown[]) => {
          const built: unknown = part.apply(target, args);
          return typeof built === 'object' && built !== null ? overLink(built, link) : built;
        };
      }
      return (...heard: Parameters<Promise<unknown>['then']>) => {
        const send = () => {
          const answer = new Promise((...settle) => part.apply(target, settle));
          answer.catch(() => undefined);
          return answer;
        };
        const answered = link.call('swap', send);
        return answered.catch(asDatabaseFailure).then(...heard);
      };
    },
  });
}

/** Turns the error of a lost store call into that of a database. */
function asDatabaseFailure(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause;
  throw Object.assign(new Error('It does not answer.', { cause }), { code: 'ETIMEDOUT' });
}

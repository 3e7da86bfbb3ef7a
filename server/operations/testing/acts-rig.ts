import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { addTables } from '@/db/testing/add-tables';
import { newTestLocation, type TestDialect, type TestLocation } from '@/db/testing/test-database';
import type { Actor } from '../../auth/actor';
import { readConfig } from '../../bootstrap/config/config';
import { createRuntime } from '../../bootstrap/create-runtime';
import type { LockEngine } from '../../engine/lock-engine';
import { systemClock } from '../../platform/clock';
import type { OperationContext, Runtime } from '../operation-context';
import { insertUserActors, userActor } from './test-runtime';

/** A service that may use the namespace `default`. */
export const SERVICE: Actor = {
  kind: 'service',
  keyId: 'k',
  service: 'orders',
  namespaces: ['default'],
};

/** A whole server without HTTP, on which operators act. */
export class ActsRig {
  private constructor(
    readonly runtime: Runtime,
    private readonly place: TestLocation,
    private readonly folder: string,
  ) {}

  static async open(dialect: TestDialect): Promise<ActsRig> {
    const place = await newTestLocation(dialect);
    await addTables(place.url);
    const folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
    const url = place.url.kind === 'mysql' ? place.url.url : `sqlite:${place.url.path}`;
    const config = readConfig({ LOCKYARD_DATA_DIR: folder, LOCKYARD_DATABASE_URL: url });
    const runtime = await createRuntime(config, pino({ level: 'silent' }), systemClock);
    await insertUserActors(runtime.database);
    return new ActsRig(runtime, place, folder);
  }

  as(actor: Actor, over: Partial<Runtime> = {}): OperationContext {
    return {
      runtime: { ...this.runtime, ...over },
      actor,
      address: '192.0.2.1',
      requestId: 'test',
    };
  }

  operator(over?: Partial<Runtime>): OperationContext {
    return this.as(userActor('operator'), over);
  }

  /** The engines, wrapped so that `after` is called after every call of this method. */
  enginesThat(
    method: 'run' | 'count' | 'rememberedAnswer',
    after: (answer: unknown) => unknown,
  ): Pick<Runtime, 'engines'> {
    const [id, engine] = [...this.runtime.engines][0] as [string, LockEngine];
    const spoilt = new Proxy(engine, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== method || typeof value !== 'function') return value;
        return async (...args: unknown[]) =>
          after(await value.apply(target, args).catch((refusal: unknown) => refusal));
      },
    });
    return { engines: new Map([[id, spoilt]]) };
  }

  /** As if every intent had been written so long ago that its process can no longer apply it. */
  async passForIntents(ageMs = 60_000): Promise<void> {
    const { database, clock } = this.runtime;
    const { audit } = database.tables;
    const longAgo = clock.now() - ageMs;
    await database.db.update(audit).set({ at: longAgo }).where(eq(audit.outcome, 'pending'));
  }

  async close(): Promise<void> {
    await this.runtime.close();
    await this.place.remove();
    await rm(this.folder, { recursive: true, force: true });
  }
}

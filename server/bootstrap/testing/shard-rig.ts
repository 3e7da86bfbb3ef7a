import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createNamespace } from '../../operations/namespaces/create-namespace';
import type { OperationContext, Runtime } from '../../operations/operation-context';
import { systemClock } from '../../platform/clock';
import { createScratchTables } from '../../storage/conformance/testing/stores-under-test';
import { type Config, readConfig } from '../config/config';
import { createRuntime } from '../create-runtime';

export const BACKEND = 'orders';

/** The namespace of every process of a rig. */
export const NAMESPACE = 'spread';

/**
 * Real processes, without their HTTP handlers, over one control database and several databases that
 * may be shards.
 */
export class ShardRig {
  private readonly running: Runtime[] = [];

  private constructor(
    private readonly folder: string,
    private readonly control: { url: string; drop(): Promise<void> },
    private readonly databases: { url: string; drop(): Promise<void> }[],
  ) {}

  /** @param servers the server of each database; by default the one server of the tests */
  static async open(count: number, servers: string[] = []): Promise<ShardRig> {
    const server = process.env.TEST_MYSQL_URL;
    if (!server) throw new Error('TEST_MYSQL_URL must name a MySQL or MariaDB server.');
    const databases = [];
    for (let i = 0; i < count; i += 1) {
      databases.push(await createScratchTables(servers[i] ?? server));
    }
    const folder = await mkdtemp(join(tmpdir(), 'ly-shards-'));
    return new ShardRig(folder, await createScratchTables(server), databases);
  }

  urlOf(index: number): string {
    const database = this.databases[index];
    if (!database) throw new Error('There is no such database.');
    return database.url;
  }

  /** The value of the environment variable for shards on these databases. */
  listOf(indexes: number[], leaving: number[] = []): string {
    return [
      ...indexes.map((index) => this.urlOf(index)),
      ...leaving.map((index) => `leaving:${this.urlOf(index)}`),
    ].join(',');
  }

  /** The environment of a process that has this list. */
  variables(list: string): Record<string, string> {
    return {
      LOCKYARD_DATA_DIR: this.folder,
      LOCKYARD_DATABASE_URL: this.control.url,
      [`LOCKYARD_BACKEND_${BACKEND.toUpperCase()}`]: list,
    };
  }

  config(list: string): Config {
    return readConfig(this.variables(list));
  }

  /** Starts a process that has this list. */
  async serve(list: string): Promise<Runtime> {
    const runtime = await createRuntime(this.config(list), pino({ level: 'silent' }), systemClock);
    this.running.push(runtime);
    if (!(await runtime.namespaces.get(NAMESPACE))) {
      await createNamespace(contextOf(runtime), { name: NAMESPACE, backend: BACKEND });
    }
    return runtime;
  }

  async stop(runtime: Runtime): Promise<void> {
    this.running.splice(this.running.indexOf(runtime), 1);
    await runtime.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((runtime) => runtime.close()));
    for (const { drop } of [this.control, ...this.databases]) await drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The context in which the command line acts. */
export function contextOf(runtime: Runtime): OperationContext {
  return { runtime, actor: { kind: 'cli' }, address: 'local', requestId: 'test' };
}

/** The engine over the shards. */
export function engineIn(runtime: Runtime) {
  const engine = runtime.engines.get(BACKEND);
  if (!engine) throw new Error('This process has no such backend.');
  return engine;
}

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSnapshot } from '@/db/snapshot';
import { addTables } from '@/db/testing/add-tables';
import { newTestLocation, type TestDialect } from '@/db/testing/test-database';
import { readConfig } from '../../bootstrap/config/config';
import { createRuntime } from '../../bootstrap/create-runtime';
import { startControlSocket } from '../../cli/control-socket';
import type { AcquireAnswer } from '../../contract/lock/answers';
import { anonymousRequest } from '../../engine/request-identity';
import type { OperationContext } from '../../operations/operation-context';
import { systemClock } from '../../platform/clock';
import { backupTables } from '../backup-header';
import { type CommandLine, type Ended, type RunOptions, runHere } from './command-line';

const KEY = { namespace: 'default', name: 'job' };

/** Text that hardly compresses, generated far faster than by `randomText`. */
export const longText = (length: number) => randomBytes((length * 3) / 4).toString('base64');

/** An installation for one test: a database, a data folder, and servers started over them. */
export class Installation {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'lockyard-backup-'));

  private constructor(
    private readonly place: Awaited<ReturnType<typeof newTestLocation>>,
    private readonly commandLine: CommandLine,
  ) {}

  /** With tables in its database, as after a first start. */
  static async make(dialect: TestDialect, commandLine: CommandLine): Promise<Installation> {
    const installation = await Installation.makeEmpty(dialect, commandLine);
    await addTables(installation.url);
    return installation;
  }

  /** Without a database. */
  static async makeEmpty(dialect: TestDialect, commandLine: CommandLine): Promise<Installation> {
    return new Installation(await newTestLocation(dialect), commandLine);
  }

  get url() {
    return this.place.url;
  }

  get variables(): Record<string, string> {
    const { url } = this;
    const databaseUrl = url.kind === 'mysql' ? url.url : `sqlite:${url.path}`;
    return { LOCKYARD_DATA_DIR: this.dataDir, LOCKYARD_DATABASE_URL: databaseUrl };
  }

  /** A path in a folder that is removed with the installation. */
  file(name = 'backup.gz'): string {
    return join(this.dataDir, name);
  }

  /** Runs a command in this process. */
  command(words: string[]): Promise<Ended> {
    return runHere(words, this.variables);
  }

  /** Runs a command in a process of its own. */
  process(words: string[], options: Partial<RunOptions> = {}): Promise<Ended> {
    return this.commandLine.run(words, { variables: this.variables, ...options });
  }

  /** Runs a server with everything but the pages, and closes it after `use`. */
  async serve<T>(use: (server: Server) => Promise<T>): Promise<T> {
    const log = pino({ level: 'silent' });
    const runtime = await createRuntime(readConfig(this.variables), log, systemClock);
    const closeSocket = await startControlSocket(runtime);
    try {
      return await use(new Server(runtime));
    } finally {
      await closeSocket();
      await runtime.close();
    }
  }

  /** Every row that a backup would contain, by table. */
  async contents(): Promise<Record<string, unknown[][]>> {
    const snapshot = await openSnapshot(this.url);
    try {
      const found: Record<string, unknown[][]> = {};
      for (const part of backupTables()) {
        const rows = [];
        for await (const row of snapshot.rows(part)) rows.push(row);
        found[part.name] = rows.sort((a, b) => (String(a) < String(b) ? -1 : 1));
      }
      return found;
    } finally {
      await snapshot.close();
    }
  }

  /** Files that a backup may have left behind. */
  leftovers(): string[] {
    return readdirSync(this.dataDir).filter((name) => /part$|\.gz$/.test(name));
  }

  async remove(): Promise<void> {
    rmSync(this.dataDir, { recursive: true, force: true });
    await this.place.remove();
  }
}

/** A running server, and one caller of its locks. */
export class Server {
  constructor(readonly runtime: Awaited<ReturnType<typeof createRuntime>>) {}

  get cli(): OperationContext {
    return { runtime: this.runtime, actor: { kind: 'cli' }, address: 'local', requestId: 'test' };
  }

  get engine() {
    const engine = this.runtime.engines.get('default');
    if (!engine) throw new Error('There is no engine.');
    return engine;
  }

  acquire(key = KEY, leaseMs = 60_000): Promise<AcquireAnswer> {
    const ask = { service: 'orders', owner: 'o-1', mode: 'exclusive', reentrant: false } as const;
    const more = { verb: 'acquire', leaseMs, waitMs: 0, meta: {} } as const;
    const request = anonymousRequest();
    return this.engine.acquire(key, { ...ask, ...more, request }, { holdRequestMs: 0 });
  }

  async take(key = KEY): Promise<number> {
    const answer = await this.acquire(key);
    if (answer.outcome !== 'granted') throw new Error(answer.outcome);
    return answer.token;
  }

  release(token: number, key = KEY) {
    const self = { service: 'orders', owner: 'o-1' };
    return this.engine.run(key, { verb: 'release', ...self, token, request: null });
  }

  renew(token: number, key = KEY) {
    const self = { service: 'orders', owner: 'o-1', leaseMs: 60_000 };
    return this.engine.run(key, { verb: 'renew', ...self, token });
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { findProgram } from '@/scripts/find-program.mjs';
import { freePort } from '@/scripts/free-port.mjs';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A database server of a test's own, that can be frozen, killed and started again with what it has. */
export class PrivateMysql {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly program: string,
  ) {}

  /** Answers once the server does. */
  static async start(): Promise<PrivateMysql> {
    const program = findProgram(['mariadbd', 'mysqld']);
    const install = findProgram(['mariadb-install-db', 'mysql_install_db']);
    if (!program || !install) throw new Error('This test needs MariaDB: install mariadb-server.');
    const folder = mkdtempSync(join(tmpdir(), 'lyp-'));
    execFileSync(
      install,
      [
        '--no-defaults',
        `--datadir=${join(folder, 'd')}`,
        `--user=${userInfo().username}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ],
      { stdio: 'pipe' },
    );
    const server = new PrivateMysql(folder, await freePort(), program);
    await server.run();
    return server;
  }

  get url(): string {
    return `mysql://root@127.0.0.1:${this.port}/`;
  }

  /** Stops it in the middle of whatever it does. Connections stay open, and silent. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends it without a word. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Starts it, if it does not run, on its own port with its own data. */
  async run(): Promise<void> {
    if (this.child) return;
    this.child = spawn(
      this.program,
      [
        '--no-defaults',
        `--datadir=${join(this.folder, 'd')}`,
        `--user=${userInfo().username}`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        `--socket=${join(this.folder, 's')}`,
        `--pid-file=${join(this.folder, 'p')}`,
        `--log-error=${join(this.folder, 'log')}`,
        '--skip-name-resolve',
        '--skip-log-bin',
        '--performance-schema=0',
        '--innodb-buffer-pool-size=32M',
        '--innodb-log-file-size=8M',
        '--innodb-flush-log-at-trx-commit=2',
      ],
      { stdio: 'ignore' },
    );
    await this.answers();
  }

  /** Kills it and removes its data. */
  async remove(): Promise<void> {
    this.thaw();
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answers(): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      try {
        const connection = await createConnection({ uri: this.url, connectTimeout: 1_000 });
        await connection.end();
        return;
      } catch {
        await pause(25);
      }
    }
    throw new Error('The private database server does not answer.');
  }
}

import { LibsqlError } from '@libsql/client/sqlite3';
import Connection from 'libsql/promise';

/**
 * A connection that runs whole transactions on a thread of its own. On the thread of the event
 * loop, a transaction of hundreds of rows would block everything else for milliseconds. The first
 * script opens it.
 */
export class ScriptConnection {
  private opened: Connection | null = null;

  /** @param settings pragmas */
  constructor(
    private readonly path: string,
    private readonly settings: readonly string[],
  ) {}

  /**
   * Runs statements in one transaction: all of them or none. No connection of this process may
   * write meanwhile.
   *
   * @throws LibsqlError as the client does
   */
  async run(statements: readonly string[]): Promise<void> {
    try {
      const connection = this.opened ?? (await this.open());
      await connection.exec(['BEGIN IMMEDIATE', ...statements, 'COMMIT'].join(';'));
    } catch (cause) {
      await this.opened?.exec('ROLLBACK').catch(() => undefined);
      throw asClientError(cause);
    }
  }

  close(): void {
    this.opened?.close();
  }

  private async open(): Promise<Connection> {
    const connection = new Connection(this.path, {});
    await connection.exec(this.settings.join(';'));
    this.opened = connection;
    return connection;
  }
}

function asClientError(cause: unknown): unknown {
  const { message, code } = cause as { message?: unknown; code?: unknown };
  if (typeof message !== 'string' || typeof code !== 'string') return cause;
  return new LibsqlError(message, code, undefined, undefined, cause as Error);
}

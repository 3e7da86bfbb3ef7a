import { LibsqlError } from '@libsql/client';
import Connection from 'libsql/promise';

/**
 * A connection that runs whole transactions on a thread of its own. On the thread of the event loop
 * one of hundreds of rows would stop everything else for milliseconds.
 */
export class ScriptConnection {
  private constructor(private readonly connection: Connection) {}

  /** @param settings pragmas */
  static async open(path: string, settings: readonly string[]): Promise<ScriptConnection> {
    const connection = new Connection(path, {});
    for (const setting of settings) await connection.exec(setting);
    return new ScriptConnection(connection);
  }

  /**
   * Runs statements in one transaction: all of them or none. No other connection of this process may
   * write meanwhile.
   *
   * @throws LibsqlError as the client does
   */
  async run(statements: readonly string[]): Promise<void> {
    try {
      await this.connection.exec(['BEGIN IMMEDIATE', ...statements, 'COMMIT'].join(';'));
    } catch (cause) {
      await this.connection.exec('ROLLBACK').catch(() => undefined);
      throw asClientError(cause);
    }
  }

  close(): void {
    this.connection.close();
  }
}

function asClientError(cause: unknown): unknown {
  const { message, code } = cause as { message?: unknown; code?: unknown };
  if (typeof message !== 'string' || typeof code !== 'string') return cause;
  return new LibsqlError(message, code, undefined, undefined, cause as Error);
}

import type { Client, InStatement, InValue, ResultSet } from '@libsql/client';
import { isBusy } from './is-busy';

/** A statement that is a transaction of its own. */
export interface SoleStatement {
  sql: string;
  args: InValue[];
  /** Values with which it changes nothing. */
  idle: InValue[];
}

const READS = /^\s*(select|pragma)\b/i;

/**
 * The connection that writes. A statement that is refused because another program writes stays open
 * until its connection runs it again, and nothing is committed until then; a new connection for each
 * refusal would be closed by the garbage collector alone.
 */
export class SqliteWriter {
  /** On which nothing but `BEGIN IMMEDIATE` can be refused: every write begins with it. */
  readonly client: Client;
  private isRefused = false;
  private refusedSole: InStatement | null = null;

  constructor(private readonly direct: Client) {
    this.client = beginningFirst(direct);
  }

  /** Runs a job after what was refused has been ended. Rejects as busy where that is not possible. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.isRefused) await this.endRefused();
    try {
      return await job();
    } catch (error) {
      if (isBusy(error)) this.isRefused = true;
      throw error;
    }
  }

  /** In a job: runs a statement without the two that begin and commit a transaction. */
  async runSole({ sql, args, idle }: SoleStatement): Promise<ResultSet> {
    try {
      return await this.direct.execute({ sql, args });
    } catch (error) {
      if (isBusy(error)) this.refusedSole = { sql, args: idle };
      throw error;
    }
  }

  private async endRefused(): Promise<void> {
    if (this.refusedSole) {
      await this.direct.execute(this.refusedSole).catch((error) => {
        if (isBusy(error)) throw error;
      });
      this.refusedSole = null;
    }
    await this.direct.batch([], 'write');
    this.isRefused = false;
  }
}

function beginningFirst(writer: Client): Client {
  const execute = async (statement: InStatement): Promise<ResultSet | undefined> => {
    const sql = typeof statement === 'string' ? statement : statement.sql;
    if (READS.test(sql)) return writer.execute(statement);
    const [result] = await writer.batch([statement], 'write');
    return result;
  };
  return new Proxy(writer, {
    get(target, property) {
      if (property === 'execute') return execute;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

import type { Client, InStatement, ResultSet } from '@libsql/client';

const READS = /^\s*(select|pragma)\b/i;

/**
 * A connection on which only `BEGIN IMMEDIATE` can be refused because another program writes. A
 * refused statement stays open until its connection runs it again, and nothing is committed until
 * then. Every job begins with `BEGIN IMMEDIATE`, so no other statement is left open. A new
 * connection after each refusal would not help: only the garbage collector closes the old one.
 */
export function beginningFirst(writer: Client): Client {
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

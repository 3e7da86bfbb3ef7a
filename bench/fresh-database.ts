import mysql from 'mysql2/promise';

/**
 * Makes an empty database of this name.
 *
 * @param server a URL without a database
 */
export async function freshDatabase(server: string, name: string): Promise<string> {
  const connection = await mysql.createConnection(server);
  await connection.query(`DROP DATABASE IF EXISTS ${name}`);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.end();
  return new URL(`/${name}`, server).href;
}

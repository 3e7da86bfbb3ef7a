import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { systemClock } from '../platform/clock';
import { createRuntime } from './create-runtime';
import { ShardRig } from './testing/shard-rig';

let rig: ShardRig;
beforeAll(async () => {
  rig = await ShardRig.open(2);
});
afterAll(() => rig?.close());

async function query(url: string, text: string): Promise<RowDataPacket[]> {
  const connection = await createConnection(url);
  const [rows] = await connection.query<RowDataPacket[]>(text);
  await connection.end();
  return rows;
}

/** How many connections a shard has, without that of this query. */
async function connectionsTo(place: number): Promise<number> {
  const text = `SELECT id FROM information_schema.processlist
    WHERE db = DATABASE() AND id <> CONNECTION_ID()`;
  return (await query(rig.urlOf(place), text)).length;
}

it('a sharded backend that cannot be started leaves nothing open', async () => {
  const list = rig.listOf([0, 1]);
  await rig.stop(await rig.serve(list));
  const { LOCKYARD_DATABASE_URL: control = '' } = rig.variables(list);
  await query(control, 'DROP TABLE cursors');
  const begun = createRuntime(rig.config(list), pino({ level: 'silent' }), systemClock);
  await expect(begun).rejects.toThrow();
  await vi.waitFor(
    async () => expect([await connectionsTo(0), await connectionsTo(1)]).toEqual([0, 0]),
    { timeout: 20_000, interval: 200 },
  );
});

import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { LabRig } from './testing/lab-rig';

interface Absence {
  goAway(): void;
  comeBack(): unknown;
}

const DIES: [string, Absence] = [
  'dies',
  { goAway: () => mysql.signal('SIGKILL'), comeBack: () => mysql.start() },
];
const FREEZES: [string, Absence] = [
  'freezes',
  { goAway: () => mysql.signal('SIGSTOP'), comeBack: () => mysql.signal('SIGCONT') },
];
/** A frozen server closes no connection: it counts as down only after half a minute. */
const WAYS = process.env.TEST_LONG === '1' ? [DIES, FREEZES] : [DIES];

const LIMIT_MS = 20_000;
/** How long a race may take to notice, beyond its time limit, on a busy machine. */
const NOTICED_WITHIN_MS = 60_000;

let mysql: Awaited<ReturnType<typeof startPrivateMariadb>>;
let rig: LabRig;

beforeAll(async () => {
  mysql = await startPrivateMariadb({ durable: false });
});
afterAll(async () => {
  await LabRig.removePrograms();
  mysql.signal('SIGCONT');
  await mysql.stop();
});
beforeEach(async () => {
  rig = await LabRig.open({ servers: { mysql: mysql.url } });
});
afterEach(() => rig.close());

async function scratchLeft(): Promise<unknown[]> {
  const connection = await createConnection({ uri: mysql.url });
  const [rows] = await connection.query<RowDataPacket[]>(
    "SHOW DATABASES LIKE 'lockyard\\_lab\\_%'",
  );
  await connection.end();
  return rows;
}

/** Two strategies, the second of which does not run if a server dies during the first. */
const raceUntil = (goAway: () => void) => {
  let isGone = false;
  return rig.race(
    { strategies: ['with-row-lock', 'central-table-lock'], stock: 20_000, perEntryMs: LIMIT_MS },
    (message) => {
      if (isGone || message.kind !== 'sample' || message.sold === 0) return;
      isGone = true;
      goAway();
    },
  );
};

test.each(WAYS)(
  'a MySQL that %s ends the race with what was sold; the next race removes the rest',
  async (_, { goAway, comeBack }) => {
    const startedAt = performance.now();
    const { rows, last } = await raceUntil(goAway);
    expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS + NOTICED_WITHIN_MS);
    await comeBack();
    expect(rows).toMatchObject([{ id: 'with-row-lock', verdict: 'incomplete', oversold: 0 }]);
    expect(rows[0]?.sold).toBeGreaterThan(0);
    expect(last.endedBy).toBe('failed');
    expect(last.message).toMatch(/MySQL at 127\.0\.0\.1:\d+ stopped answering.*next race starts/);
    expect(await scratchLeft()).not.toEqual([]);
    const again = await rig.race({ strategies: ['with-row-lock'], workers: 2, stock: 2 });
    expect(again.last).toEqual({ kind: 'finished', endedBy: 'done' });
    expect(await scratchLeft()).toEqual([]);
  },
);

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import { ScriptedServer } from '../../testing/scripted-server';
import { CommandRig } from '../testing/command-rig';
import { lookAgainDelayMs } from './run-witness';

const SOON = { timeout: 20_000 };

let rig: CommandRig;
let witnessKey: string;

beforeAll(async () => {
  rig = await CommandRig.start();
  const input = { name: 'host-4', namespaces: [], witness: true };
  witnessKey = (await createApiKey(rig.api.cli, input)).key;
});
afterAll(() => rig.close());

const startWitness = () => rig.start(['witness'], { env: { LOCKYARD_API_KEY: witnessKey } });

/** Runs a command under a lock; returns once it runs. */
async function occupy(name: string, lease: string) {
  const running = rig.exec([name, '--lease', lease], `echo $$ > ${name}.pid; exec sleep 60`);
  await rig.written(`${name}.pid`);
  return running;
}

const rowOf = (name: string) => rig.api.runtime.projection.row('default', name);

async function livenessOf(name: string) {
  const { holds } = await rig.api.runtime.projection.detail('default', name);
  return holds[0]?.liveness;
}

test("a killed process's lock is orphaned within 5 s, long before its lease ends", async () => {
  const witness = startWitness();
  const [killed, stopped] = await Promise.all([occupy('killed', '10m'), occupy('stopped', '10m')]);
  const seen = { state: 'alive', kind: 'host' };
  await expect.poll(() => livenessOf('killed'), SOON).toMatchObject(seen);

  stopped.child.kill('SIGSTOP');
  killed.child.kill('SIGKILL');
  const killedAt = performance.now();
  await expect.poll(() => rowOf('killed')?.status, SOON).toBe('orphaned');
  expect(performance.now() - killedAt).toBeLessThan(10_000);
  const evidence = `pid ${killed.child.pid} is gone`;
  expect(rowOf('killed')).toMatchObject({ waiters: 0, orphaned: { witness: 'host-4', evidence } });
  expect(await livenessOf('killed')).toMatchObject({ state: 'dead', kind: 'host', evidence });

  const stillThere = `pid ${stopped.child.pid} is stopped`;
  await expect.poll(() => livenessOf('stopped'), SOON).toMatchObject({ evidence: stillThere });
  expect(await livenessOf('stopped')).toMatchObject({ state: 'alive' });
  expect(rowOf('stopped')?.status).toBe('held');
  stopped.child.kill('SIGKILL');

  // Without a witness the state does not change: dead stays dead.
  witness.child.kill();
  await witness.ended;
  await sleep(1_500);
  expect(rowOf('killed')?.status).toBe('orphaned');
});

test('only a key made for a witness can report, and it can do nothing else', async () => {
  const refused = await rig.run(['witness']);
  expect(refused.code).toBe(77);
  expect(refused.err).toContain('keys create --witness');
  const env = { LOCKYARD_API_KEY: witnessKey };
  expect(await rig.run(['ls'], { env })).toMatchObject({ code: 77, out: '' });
});

test('a witness continues after an error of the server or a proxy, and says so', async () => {
  const server = new ScriptedServer();
  const env = { LOCKYARD_URL: await server.open(), LOCKYARD_API_KEY: witnessKey };
  const witness = rig.start(['witness'], { env });
  (await server.next('witness.report')).refuse(500, 'INTERNAL');
  await witness.said('lockyard: refused: INTERNAL Retrying…\n');
  (await server.next('witness.report')).answer({ processes: [], lookAgainInMs: 100 });
  await witness.said('lockyard: server responding again\n');
  (await server.next('witness.report')).reply(404, 'A proxy has no server now.');
  await witness.said(
    'lockyard: 404 came without an answer of Lockyard; check the URL. Retrying…\n',
  );
  (await server.next('witness.report')).refuse(401, 'UNAUTHENTICATED');
  expect(await witness.ended).toMatchObject({ code: 77 });
  await server.close();
});

test.each([
  [1_000, 1_000],
  [0, 100],
  [-5, 100],
  [86_400_000, 10_000],
  [2 ** 40, 10_000],
  ['soon', 1_000],
  [null, 1_000],
])('asked by a server to look again in %s ms, a witness waits %i ms', (asked, ms) => {
  expect(lookAgainDelayMs(asked)).toBe(ms);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OWN_NAMESPACE } from '../engine/membership';
import { listAudit } from '../operations/audit/list-audit';
import type { OperationContext, Runtime } from '../operations/operation-context';
import { userActor } from '../operations/testing/test-runtime';
import { readConfig } from './config/config';
import { createRuntime } from './create-runtime';

let folder: string;
let runtime: Runtime;
let setMs: number;

beforeEach(async () => {
  setMs = 0;
  folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
  const config = readConfig({ LOCKYARD_DATA_DIR: folder });
  const clock = { now: () => Date.now() + setMs, monotonic: () => performance.now() };
  runtime = await createRuntime(config, pino({ level: 'silent' }), clock);
});
afterEach(async () => {
  await runtime.close();
  await rm(folder, { recursive: true, force: true });
});

const steps = async () => {
  const reader: OperationContext = {
    runtime,
    actor: userActor('viewer'),
    address: '192.0.2.1',
    requestId: 'test',
  };
  const { rows } = await listAudit(reader, { limit: 50 });
  return rows.flatMap(({ act, subject, result }) =>
    act === 'clock.set' ? [{ subject, direction: result.direction }] : [],
  );
};

test('the audit log notes that the clock of the server was set back, once', async () => {
  setMs = -30_000;
  await expect.poll(steps).toEqual([{ subject: 'server', direction: 'back' }]);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await steps()).toHaveLength(1);
});

test('the audit log notes a clock set forward too, also for a backend that uses it', async () => {
  const chores = { namespace: OWN_NAMESPACE, name: 'chores' };
  const doer = () => runtime.engines.get('default')?.run(chores, { verb: 'inspect' });
  await expect.poll(async () => (await doer())?.holders.length).toBe(1);
  setMs = 30_000;
  const forward = { direction: 'forward' };
  await expect.poll(steps).toEqual(
    expect.arrayContaining([
      { subject: 'server', ...forward },
      { subject: 'default', ...forward },
    ]),
  );
});

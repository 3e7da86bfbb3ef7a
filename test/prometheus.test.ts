import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { type RunningServer, startServer } from '@/e2e/start-server';
import { makeAppReady } from '@/scripts/build/make-ready.mjs';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { ReceiverTable } from '@/server/monitoring/alerts/receiver-table';
import { AlertRig } from '@/server/monitoring/alerts/testing/alert-rig';
import { ReceiverUnderTest } from '@/server/monitoring/alerts/testing/receiver-under-test';
import { examplesOf, PAGES } from './docs/pages';
import { MonitoringTool } from './monitoring-tool';

const root = resolve(import.meta.dirname, '..');
const RULES = `${root}/deploy/prometheus/lockyard.rules.yml`;
const SOON = { timeout: 120_000, interval: 1_000 };
/** Longer than two such waits. */
const TEST_MS = 300_000;

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const dashboard = JSON.parse(readFileSync(`${root}/deploy/grafana/lockyard.json`, 'utf8')) as {
  panels: Panel[];
};

const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(findProgram(['promtool']) ?? '', args, {
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
};

test('the alert rules are valid, fire when they should, and not for leader elections', () => {
  expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
  const tested = promtool('test', 'rules', RULES.replace('.rules.yml', '.rules.test.yml'));
  expect(tested).toMatchObject({ status: 0 });
});

test('the scrape configurations of the docs are valid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-scrape-'));
  try {
    const examples = PAGES.flatMap(examplesOf).filter(
      ({ language, text }) => language === 'yaml' && text.startsWith('scrape_configs:'),
    );
    expect(examples.length).toBeGreaterThan(1);
    for (const { text } of examples) {
      const file = join(folder, 'prometheus.yml');
      writeFileSync(file, text);
      expect(promtool('check', 'config', '--syntax-only', file)).toMatchObject({ status: 0 });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('a Prometheus that scrapes the demo', () => {
  let server: RunningServer;
  let prometheus: MonitoringTool;
  beforeAll(async () => {
    await makeAppReady(() => undefined);
    server = await startServer({
      LOCKYARD_DEMO: '1',
      LOCKYARD_WEBHOOK_NONE: 'slack+http://[::1]:2',
    });
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [
        { job_name: 'lockyard', static_configs: [{ targets: [new URL(server.url).host] }] },
      ],
    };
    prometheus = await MonitoringTool.start('prometheus', JSON.stringify(config));
  }, 600_000);
  afterAll(async () => {
    await prometheus?.stop();
    await server?.discard();
  });

  const ask = (expr: string) =>
    prometheus.get<{ status: string; error?: string; data?: { result: unknown[] } }>(
      `/api/v1/query?query=${encodeURIComponent(expr)}`,
    );

  test.each(
    dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }): [string, string] => [title, expr]),
    ),
  )(
    'has data for the panel “%s”',
    async (_, expr) => {
      const filled = expr
        .replaceAll('$__rate_interval', '30s')
        .replaceAll('$job', 'lockyard')
        .replaceAll('$namespace', '.*');
      const answer = await ask(filled);
      expect(answer).toMatchObject({ status: 'success' });
      await expect
        .poll(async () => (await ask(filled)).data?.result.length, SOON)
        .toBeGreaterThan(0);
    },
    TEST_MS,
  );

  test(
    'evaluates every alert rule without an error',
    async () => {
      const rules = async () => {
        const { data } = await prometheus.get<{
          data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
        }>('/api/v1/rules');
        return data.groups.flatMap((group) => group.rules);
      };
      await expect
        .poll(async () => (await rules()).every((r) => r.health === 'ok'), SOON)
        .toBe(true);
      expect((await rules()).length).toBeGreaterThan(20);
    },
    TEST_MS,
  );
});

describe('a real Alertmanager', () => {
  let alertmanager: MonitoringTool;
  let receiver: ReceiverUnderTest;
  let database: Database;
  beforeAll(async () => {
    receiver = await ReceiverUnderTest.start();
    database = await openTestDatabase('sqlite');
    const config = {
      route: { receiver: 'test', group_wait: '1s', group_interval: '1s', group_by: ['alertname'] },
      receivers: [
        { name: 'test', webhook_configs: [{ url: `${receiver.url}/from-alertmanager` }] },
      ],
    };
    alertmanager = await MonitoringTool.start('alertmanager', JSON.stringify(config));
  });
  afterAll(async () => {
    await alertmanager?.stop();
    receiver?.close();
    await database?.close();
  });

  test(
    'is sent what fires, again every minute, passes it on, and is sent its end',
    async () => {
      const rig = new AlertRig(database);
      // Alertmanager uses its own clock: none of these instants may be in its future.
      rig.now = Date.now() - 300_000;
      const process = rig.process([
        {
          id: 'am',
          format: 'alertmanager',
          url: `${alertmanager.url}/api/v2/alerts`,
          authorization: null,
          key: null,
        },
      ]);
      const name = 'say "hi" \\ {a="b"}\n漢字';
      const held = { leaseLeftMs: 36_000_000 };
      rig.store(name, { ...held, heldMs: 120_000, waiters: 2, waitedMs: 5_000 });
      await rig.pass(process, 50_000);
      const active = () =>
        alertmanager.get<{ labels: object; annotations: object; endsAt: string }[]>(
          '/api/v2/alerts',
        );
      const [alert] = await active();
      expect(alert?.labels).toEqual({
        alertname: 'LockyardStuck',
        backend: 'default',
        namespace: 'default',
        name,
      });
      expect(alert?.annotations).toMatchObject({
        description: expect.stringMatching(/^Held for .+ 2 waiting/),
      });
      await rig.pass(process, 90_000);
      const [again] = await active();
      expect(Date.parse(again?.endsAt ?? '')).toBeGreaterThan(Date.parse(alert?.endsAt ?? ''));
      await expect.poll(() => receiver.last?.body.status, SOON).toBe('firing');

      rig.store(name, { ...held, heldMs: 10, waiters: 0 });
      await rig.pass(process, 120_000);
      await expect.poll(() => receiver.last?.body.status, SOON).toBe('resolved');
      expect(await new ReceiverTable(database).all().then((all) => all.get('am'))).toMatchObject({
        failure: null,
        pending: null,
        sent: 2,
      });
    },
    TEST_MS,
  );
});

import { expect, test } from 'vitest';
import { readConfig, VARIABLES } from '@/server/bootstrap/config/config';
import { LIMIT_NAMES, readLimits } from '@/server/bootstrap/config/limits';
import { DEFAULT_ALERT_RULES } from '@/server/contract/console/alerts/alert-rules';
import { ERROR_TABLE } from '@/server/contract/error-table';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { ApiHarness } from '../api-harness';
import { PAGES, pageText } from './pages';

/** The cells of each row below a head of this text, up to the end of its table. */
function rowsUnder(page: string, head: string): string[][] {
  const [, after = ''] = pageText(page).split(`\n${head}\n`);
  const [table = ''] = after.split('\n\n');
  return table
    .split('\n')
    .slice(1)
    .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
}

const codesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The default of each name in the rows; a cell can have several names and as many defaults. */
const defaultsIn = (rows: string[][]): Record<string, unknown> =>
  Object.fromEntries(
    rows.flatMap(([names, defaults = '']) => {
      const values = defaults.replaceAll('`', '').split(', ');
      return codesIn(names).map((name, at) => [name, JSON.parse(values[at] ?? '')]);
    }),
  );

test('the bounds of a policy and the rules of alerts have the defaults in the docs', () => {
  const page = 'docs/provisioning.md';
  const policy = defaultsIn(rowsUnder(page, '| in a policy | default | bounds |'));
  expect(policy).toEqual(DEFAULT_POLICY);
  const rules = rowsUnder(page, '| in alert rules | default | the [rule](alerts.md#rules) |');
  expect(defaultsIn(rules)).toEqual(DEFAULT_ALERT_RULES);
});

test('the limits of a caller have the defaults in the docs', () => {
  const rows = rowsUnder('docs/operations.md', '| variable | default | bounds |');
  const limits = Object.values(readLimits({}));
  expect(defaultsIn(rows)).toEqual(
    Object.fromEntries(LIMIT_NAMES.map((name, at) => [name, limits[at]])),
  );
});

test('each reason of an error has the status in the docs', () => {
  const rows = rowsUnder('docs/api-reference.md', '| reason | status | means |');
  const found = rows.map(([reason, status]) => [codesIn(reason)[0], Number(status)]);
  const wanted = Object.entries(ERROR_TABLE).map(([reason, { httpStatus }]) => [
    reason,
    httpStatus,
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
});

test('the docs name every variable, and only variables that exist', () => {
  const named = new Set(
    PAGES.flatMap((page) => pageText(page).match(/\bLOCKYARD_[A-Z_]+(?:<[A-Z]+>[A-Z_]*)?/g) ?? []),
  );
  const unnamed = VARIABLES.filter((name) => !named.has(name) && !/_LAB_.*_FILE$/.test(name));
  expect(unnamed).toEqual([]);

  const unknown = [...named].filter((name) => {
    if (name.endsWith('_')) return false;
    try {
      readConfig({ [name.replace('<ID>', 'A').replace('<SERVER>', 'MYSQL')]: '' });
      return false;
    } catch (error) {
      return (error as Error).message.startsWith('Unknown variable');
    }
  });
  // Kubernetes sets these, and docs/installing.md says how to prevent that.
  expect(unknown.sort()).toEqual(['LOCKYARD_PORT', 'LOCKYARD_SERVICE_HOST']);
});

test('each metric of a server is in the docs', async () => {
  const api = await ApiHarness.start();
  try {
    const text = await api.runtime.metrics.text();
    const names = [...text.matchAll(/^# TYPE (lockyard_\w+)/gm)].map(([, name = '']) => name);
    const named = new Set<string>(pageText('docs/metrics.md').match(/\blockyard_\w+/g));
    expect(names.filter((name) => !named.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(40);
  } finally {
    await api.close();
  }
});

import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../platform/testing/test-clock';
import { MARIADB } from '../../storage/conformance/testing/sample-mysql-facts';
import { mysqlGuarantees } from '../../storage/mysql/mysql-guarantees';
import { StoreError } from '../../storage/record-store';
import { guaranteeMetrics } from '../metrics/guarantee-metrics';
import { GuaranteeWatch } from './guarantee-watch';

const withVariables = (variables: Record<string, string>) =>
  mysqlGuarantees({ ...MARIADB, variables: { ...MARIADB.variables, ...variables } });
const STRONG = withVariables({});
const WEAK = withVariables({ innodb_flush_log_at_trx_commit: '2' });
const UNSAFE = withVariables({ read_only: 'ON' });

/** The settings as the store would read them now; null: it does not answer. */
let settings: typeof STRONG | null;
/** Why it refuses; null: it does not respond. */
let refusal: string | null;
let readings: number;
let settingsRev: number;
let clock: TestClock;
let lines: { level: number; msg: string }[];

beforeEach(() => {
  settings = STRONG;
  refusal = null;
  readings = 0;
  settingsRev = 0;
  clock = new TestClock();
  lines = [];
});

function watchOf(isAllowed = false): GuaranteeWatch {
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const store = {
    get settingsRev() {
      return settingsRev;
    },
    async guarantees() {
      readings += 1;
      if (!settings) throw new StoreError('It is away.', 'no', { refusal });
      return settings;
    },
  };
  return new GuaranteeWatch({ backend: 'orders', store, isAllowed, clock, log });
}

/** Lets time pass; the watch checks once a second. */
async function passMs(watch: GuaranteeWatch, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    clock.pass(1_000);
    await watch.readIfDue();
  }
}

describe('a backend', () => {
  it('grants nothing until its settings were read, as soon as it is available', async () => {
    settings = null;
    const watch = watchOf();
    await watch.read();
    expect(watch.closedBecause()).toContain('until its settings have been read');
    settings = STRONG;
    await passMs(watch, 3_000);
    expect(watch.closedBecause()).toBe(null);
  });

  it('that refuses to be read grants nothing and says why', async () => {
    settings = null;
    refusal = 'The database cannot be used: it has as many connections as it accepts.';
    const watch = watchOf();
    await watch.read();
    expect(watch.closedBecause()).toBe(
      `The backend "orders" grants nothing until its settings have been read. ${refusal}`,
    );
    refusal = null;
    await watch.read();
    expect(watch.closedBecause()).toMatch(/until its settings have been read\.$/);
  });

  it('is closed, and opened again, within a minute of becoming unsafe and safe', async () => {
    const watch = watchOf();
    await watch.read();
    settings = UNSAFE;
    await passMs(watch, 60_000);
    expect(watch.closedBecause()).toMatch(/"orders" grants nothing.*LOCKYARD_ALLOW_UNSAFE=orders/);
    settings = WEAK;
    await passMs(watch, 60_000);
    expect(watch.row()).toMatchObject({ closedBecause: null, reading: { level: 'Best-effort' } });
  });

  it('that is allowed to be unsafe grants, is Best-effort, and says so', async () => {
    settings = UNSAFE;
    const watch = watchOf(true);
    await watch.read();
    expect(watch.row()).toMatchObject({
      closedBecause: null,
      isAllowed: true,
      reading: { level: 'Best-effort', unsafe: expect.stringContaining('read-only') },
    });
  });

  it('that is unsafe in a way that cannot be allowed is closed in any case', async () => {
    settings = { ...UNSAFE, isNeverAllowed: true };
    for (const isAllowed of [true, false]) {
      const watch = watchOf(isAllowed);
      await watch.read();
      expect(watch.closedBecause()).toMatch(/grants nothing.*read-only.*Fix its configuration\.$/);
    }
    expect(lines.map(({ level }) => level)).toEqual([50, 50]);
  });

  it('is read at once if its store has noticed a changed setting', async () => {
    const watch = watchOf();
    await watch.read();
    await passMs(watch, 3_000);
    expect(readings).toBe(1);
    settingsRev += 1;
    await passMs(watch, 3_000);
    expect(readings).toBe(2);
  });

  it('that cannot be read keeps its last reading and age, and stays closed if it was', async () => {
    settings = UNSAFE;
    const watch = watchOf();
    await watch.read();
    settings = null;
    await passMs(watch, 90_000);
    const { reading, isFailing, closedBecause } = watch.row();
    expect(reading?.ageMs).toBe(90_000);
    expect(isFailing).toBe(true);
    expect(closedBecause).not.toBe(null);
  });

  it('whose settings cannot be read is reported as failing, and read again', async () => {
    const silent = { guarantees: () => new Promise<never>(() => undefined) };
    const log = pino({ level: 'silent' });
    const watch = new GuaranteeWatch(
      { backend: 'orders', store: silent, isAllowed: false, clock, log },
      5,
    );
    await watch.read();
    await watch.read();
    expect(watch.row()).toMatchObject({ reading: null, isFailing: true });
  });

  it('is read about once a minute, and once for simultaneous requests', async () => {
    const watch = watchOf();
    await Promise.all([watch.read(), watch.read(), watch.read()]);
    expect(readings).toBe(1);
    await passMs(watch, 10 * 60_000);
    expect(readings).toBeGreaterThanOrEqual(11);
    expect(readings).toBeLessThanOrEqual(14);
  });
});

describe('the log', () => {
  it('reports every change once, at a fitting level, and nothing that is in order', async () => {
    const watch = watchOf();
    for (const now of [STRONG, STRONG, WEAK, WEAK, UNSAFE, STRONG, null, null]) {
      settings = now;
      await watch.read();
    }
    expect(lines.map(({ level }) => level)).toEqual([40, 50, 30, 40]);
  });
});

describe('the metrics', () => {
  it('show the level, whether it is closed, and the age of the reading', async () => {
    const watch = watchOf();
    const reported = () =>
      Object.fromEntries(
        guaranteeMetrics([watch.row()]).map(({ name, samples }) => [
          name,
          samples.map((sample) => ('value' in sample ? sample.value : null)),
        ]),
      );
    expect(reported()).toEqual({
      lockyard_backend_guarantee: [],
      lockyard_backend_closed: [1],
      lockyard_backend_settings_age_seconds: [],
    });
    await watch.read();
    clock.pass(7_000);
    expect(reported()).toEqual({
      lockyard_backend_guarantee: [1, 0, 0],
      lockyard_backend_closed: [0],
      lockyard_backend_settings_age_seconds: [7],
    });
  });
});

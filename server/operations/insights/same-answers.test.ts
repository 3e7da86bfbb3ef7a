import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newTestLocation, TEST_DIALECTS, type TestDialect } from '@/db/testing/test-database';
import { DEFAULT_ALERT_RULES } from '@/server/contract/console/alerts/alert-rules';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';
const SOON = { timeout: 30_000, interval: 100 };
const OPEN = { namespace: 'default', leaseMs: 600_000 };

type Answers = Map<string, unknown>;

/** A server over one database, in a state in which every page has something to show. */
class Scene {
  private constructor(
    private readonly api: ApiHarness,
    private readonly removeData: () => Promise<void>,
    private readonly cookie: string,
    private readonly key: string,
  ) {}

  static async open(dialect: TestDialect): Promise<Scene> {
    const { url, remove } = await newTestLocation(dialect);
    const LOCKYARD_DATABASE_URL = url.kind === 'mysql' ? url.url : `sqlite:${url.path}`;
    const api = await ApiHarness.start({ LOCKYARD_DATABASE_URL });
    await createUser(api.cli, { name: 'ada', role: 'admin', password: PASSWORD });
    return new Scene(api, remove, await api.signIn('ada', PASSWORD), await api.key('orders'));
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.removeData();
  }

  /**
   * A deadlock, a forced release, an expired lease, a refusal, a freeze, counters and a silence.
   */
  async play(): Promise<void> {
    const rules = { ...DEFAULT_ALERT_RULES, expiredForMs: 0 };
    const reason = 'so that every page has something to show';
    await this.act('alerts.setRules', { namespace: 'default', rules, reason });
    await this.act('alerts.silence', {
      namespace: 'default',
      name: 'other',
      forMs: 600_000,
      reason,
    });
    const meta = { host: 'host-4', pid: '7' };
    await this.take('a', 'p', { meta });
    await this.take('b', 'q', { meta });
    this.wait('b', 'p');
    await this.until('waits.graph', {}, ({ waiting }) => waiting === 1);
    this.wait('a', 'q');
    await this.until('waits.deadlocks', undefined, (rows) => rows.length === 1);
    await this.take('lapsed', 'w1', { leaseMs: 2_000 });
    const { token, rev } = await this.take('forced', 'w1');
    await this.take('forced', 'w2');
    const seen = { namespace: 'default', name: 'forced', token, rev, requestId: 'force', reason };
    await this.act('locks.forceRelease', seen);
    await this.take('frozen', 'w1');
    await this.act('locks.freeze', { namespace: 'default', name: 'frozen', rev: 1, reason });
    await this.send('counter.create', { name: 'stock', initial: 10, floor: 0 });
    await this.send('counter.add', { name: 'stock', delta: -3 });
    await this.act('views.save', { name: 'mine', query: '?view=all' });
  }

  /** Waits until all that happened is recorded, and is the same on every database. */
  async settle(): Promise<void> {
    await this.until('insights.incidents', {}, ({ open }) => open === 1);
    await this.until('alerts.list', undefined, ({ firing }) => firing.length === 1);
    await this.until('insights.fleet', undefined, ({ hour }) => hour.grants === 5);
    await this.until('locks.list', {}, ({ rows }) => {
      const others = rows.filter(({ name }: { name: string }) => !IN_DEADLOCK.includes(name));
      const statusOf = ({ name, status }: { name: string; status: string }) => `${name} ${status}`;
      const isRefused = rows.some((row: { refused?: object }) => row.refused);
      // An expired lease is a holder until its end is written.
      const lapsed = others.find(({ name }: { name: string }) => name === 'lapsed');
      return (
        isRefused && lapsed?.holders === 0 && `${others.map(statusOf).sort()}` === `${SETTLED}`
      );
    });
    for (const name of ['frozen', 'lapsed']) {
      const events = { namespace: 'default', name, limit: 20 };
      await this.until('locks.events', events, ({ rows }) => rows.length === 2);
    }
    await this.until('counters.list', {}, ({ rows }) => rows[0]?.value === 7);
  }

  /** The answers to everything that pages request. */
  async answers(): Promise<Answers> {
    const at = Date.now();
    const lock = { namespace: 'default', name: 'a' };
    const stock = { namespace: 'default', name: 'stock' };
    const { rows } = await this.ask('insights.incidents', {});
    const holders = await this.ask('holders.list', {});
    const asked: [string, object | undefined][] = [
      ...['locks.list', 'waits.graph', 'holders.list', 'counters.list'].flatMap(
        (procedure): [string, object][] => [
          [procedure, {}],
          [procedure, { at }],
        ],
      ),
      ['locks.detail', lock],
      ['locks.detail', { ...lock, at }],
      ['locks.detail', { ...lock, name: 'lapsed', at }],
      ['locks.events', { ...lock, name: 'forced', limit: 20 }],
      ['counters.detail', stock],
      ['counters.detail', { ...stock, at }],
      ['counters.moves', { ...stock, limit: 5 }],
      ['counters.course', stock],
      ['counters.courses', { limit: 5 }],
      ['holders.process', { process: holders.rows[0].id }],
      ['holders.process', { process: holders.rows[0].id, at }],
      ['waits.deadlocks', undefined],
      ['insights.lock', { ...lock, range: '1h' }],
      ['insights.overview', { range: '1h' }],
      ['insights.overview', { range: '1h', at }],
      ['insights.fleet', undefined],
      ['insights.timeline', { ...lock, name: 'forced', spanMs: 600_000 }],
      ['insights.incidents', {}],
      ['insights.incident', { id: rows[0].id }],
      ['past.range', undefined],
      ['past.change', { at, direction: 'previous', of: 'locks' }],
      ['past.minute', { at }],
      ...['list', 'summary', 'rules'].map((name): [string, undefined] => [
        `alerts.${name}`,
        undefined,
      ]),
      ['audit.list', { limit: 20 }],
      ['namespaces.list', undefined],
      ['keys.list', { limit: 20 }],
      ['people.list', undefined],
      ['views.list', undefined],
      ['locks.presence', undefined],
    ];
    const answers: Answers = new Map();
    for (const [procedure, input] of asked) {
      const name = `${procedure} ${input && 'at' in input ? 'as of then' : 'now'} ${answers.size}`;
      answers.set(name, await this.ask(procedure, input));
    }
    return answers;
  }

  private take(name: string, owner: string, more: object = {}) {
    return this.send('lock.acquire', { ...OPEN, name, owner, ...more });
  }

  /** Keeps a place in the queue until the server ends. */
  private wait(name: string, owner: string): void {
    const request = { waitMs: 600_000, requestId: `${owner}-waits` };
    const ask = async () => {
      while ((await this.take(name, owner, request)).outcome === 'queued');
    };
    ask().catch(() => undefined);
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of many procedures, compared as they are
  private async send(procedure: string, input: object): Promise<any> {
    return (await this.api.post(this.key, procedure, input)).data;
  }

  private async act(procedure: string, input: object): Promise<void> {
    const reply = await this.api.console(this.cookie, procedure, input, 'mutation');
    expect(reply.status, `${procedure}: ${reply.text}`).toBe(200);
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of many procedures, compared as they are
  private async ask(procedure: string, input?: object): Promise<any> {
    const reply = await this.api.console(this.cookie, procedure, input);
    expect(reply.status, `${procedure}: ${reply.text}`).toBe(200);
    return reply.data;
  }

  private async until(
    procedure: string,
    input: object | undefined,
    // biome-ignore lint/suspicious/noExplicitAny: answers of many procedures, compared as they are
    isMet: (answer: any) => boolean,
  ): Promise<void> {
    const met = async () => isMet(await this.ask(procedure, input));
    await vi.waitFor(async () => expect(await met(), procedure).toBe(true), SOON);
  }
}

/** Where two answers have values of different types; what only one of them has is no difference. */
function* typeConflicts(one: unknown, other: unknown, path = ''): Generator<string> {
  if (one === null || other === null || one === undefined || other === undefined) return;
  if (typeof one !== typeof other || Array.isArray(one) !== Array.isArray(other)) {
    yield `${path}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`;
  } else if (typeof one === 'object') {
    for (const [name, value] of Object.entries(one)) {
      yield* typeConflicts(value, (other as Record<string, unknown>)[name], `${path}.${name}`);
    }
  }
}

/** The outcome for all other locks, by name. */
const SETTLED = ['forced free', 'frozen frozen', 'lapsed expired'];

/** They are in the deadlock, whose waits end by themselves on a slow machine. */
const IN_DEADLOCK = ['a', 'b'];

/** The parts of an answer that describe all other locks, except instants, ids and the like. */
const SAID = ['name', 'status', 'owner', 'owners', 'waiters', 'holders', 'kind', 'value', 'act'];

function said(answer: unknown): unknown[] {
  const { rows } = answer as { rows: Record<string, unknown>[] };
  const others = rows.filter(({ name }) => !IN_DEADLOCK.includes(String(name)));
  const some = others.map((row) => SAID.map((name) => row[name] ?? null));
  return some.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describe('every page of the console', () => {
  const scenes = new Map<TestDialect, Scene>();
  beforeAll(async () => {
    await Promise.all(
      TEST_DIALECTS.map(async (dialect) => {
        const scene = await Scene.open(dialect);
        scenes.set(dialect, scene);
        await scene.play();
        await scene.settle();
      }),
    );
  });
  afterAll(() => Promise.all([...scenes.values()].map((scene) => scene.close())));

  it('gets the same data on MySQL as on SQLite, now and in the past', async () => {
    const [first = new Map(), ...others] = await Promise.all(
      [...scenes.values()].map((scene) => scene.answers()),
    );
    expect(first.size).toBeGreaterThan(30);
    const lists = [...first.keys()].filter((name) => /^(locks|counters)\.list|events/.test(name));
    expect(lists).toHaveLength(5);
    for (const other of others) {
      for (const [name, answer] of first) {
        expect([...typeConflicts(answer, other.get(name))], name).toEqual([]);
      }
      for (const name of lists) expect(said(other.get(name)), name).toEqual(said(first.get(name)));
    }
  });
});

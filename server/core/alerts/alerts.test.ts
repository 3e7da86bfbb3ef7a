import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertSubject, SilenceRow } from '../../contract/console/alerts/alert-row';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { RUNS } from '../testing/property-runs';
import { ALERT_QUIET_MS, type Alert, isNews, nextAlert } from './alert';
import { isCounterNear, lockConditions } from './alert-conditions';
import { dueMessage, MESSAGE_EVERY_MS, type ReceiverState, type SentAlert } from './alert-message';
import { messageSummary } from './message-summary';
import { mayAttempt, retryDelayMs } from './retry-delay';
import { exactPattern, Silences } from './silences';

const STUCK: AlertSubject = { kind: 'stuck', backend: 'default', namespace: 'shop', name: 'a' };
const reading = (subject: AlertSubject, since: number) => ({
  ...subject,
  since,
  sentence: () => 'Held.',
});

describe('the rules', () => {
  const quiet = {
    at: 100_000,
    stuckSince: null,
    orphanedSince: null,
    expiredSince: null,
    oldestWaitAt: null,
    blockingMs: 0,
  };
  it('fire once their condition has lasted long enough', () => {
    const rules = { ...DEFAULT_ALERT_RULES, waitsOverMs: 10_000, blockingOverMs: 60_000 };
    const met = (facts: object) => lockConditions({ ...quiet, ...facts }, rules);
    expect(met({})).toEqual([]);
    expect(met({ stuckSince: 70_001 })).toEqual([]);
    expect(met({ stuckSince: 70_000 })).toEqual([{ kind: 'stuck', since: 70_000 }]);
    expect(met({ orphanedSince: 100_000 })).toEqual([{ kind: 'orphaned', since: 100_000 }]);
    expect(met({ expiredSince: 95_001 })).toEqual([]);
    expect(met({ expiredSince: 95_000 })).toEqual([{ kind: 'expired', since: 95_000 }]);
    expect(met({ oldestWaitAt: 90_000, blockingMs: 60_000 })).toEqual([]);
    expect(met({ oldestWaitAt: 89_999, blockingMs: 60_001 }).map(({ kind }) => kind)).toEqual([
      'waitsOver',
      'blockingOver',
    ]);
  });

  it('can be turned off individually', () => {
    const off = { ...DEFAULT_ALERT_RULES, stuckForMs: null, orphanedForMs: null };
    expect(lockConditions({ ...quiet, stuckSince: 1, orphanedSince: 1 }, off)).toEqual([]);
  });

  it('find counters that are close to one of their bounds', () => {
    const rules = { ...DEFAULT_ALERT_RULES, counterWithin: 10 };
    const stock = { floor: 0, ceiling: 500 };
    const near = [0, 10, 11, 489, 490].map((value) => isCounterNear(value, stock, rules));
    expect(near).toEqual([true, true, false, false, true]);
    expect(isCounterNear(0, { floor: null, ceiling: null }, rules)).toBe(false);
    expect(isCounterNear(0, stock, DEFAULT_ALERT_RULES)).toBe(false);
  });
});

describe('silences', () => {
  const silence = (parts: Partial<SilenceRow>): SilenceRow => ({
    id: 's',
    reason: 'known',
    by: 'ana',
    createdAt: 0,
    endsAt: 1_000,
    ...parts,
  });

  const matches = (parts: Partial<SilenceRow>, alert: AlertSubject, now = 0) =>
    new Silences([silence(parts)]).match(alert, now);

  it('match by namespace, kind and name, until they end', () => {
    expect(matches({ namespace: 'shop' }, STUCK, 999)).toBe(true);
    expect(matches({ namespace: 'shop' }, STUCK, 1_000)).toBe(false);
    expect(matches({ namespace: 'shop', kind: 'expired' }, STUCK)).toBe(false);
    expect(matches({ name: 'a' }, STUCK)).toBe(true);
    expect(matches({ name: 'a', kind: 'stuck' }, STUCK, 1_000)).toBe(false);
    expect(matches({ name: 'a', namespace: 'bank' }, STUCK)).toBe(false);
    expect(matches({ name: 'b' }, STUCK)).toBe(false);
    expect(matches({ name: '*' }, { ...STUCK, name: null })).toBe(false);
    expect(matches({ kind: 'stuck' }, { ...STUCK, name: null })).toBe(true);
  });

  it('match if any one of several does', () => {
    const ended = silence({ name: 'a', endsAt: 1 });
    const silences = new Silences([ended, silence({ name: 'b' }), silence({ name: 'a' })]);
    expect(silences.match(STUCK, 1)).toBe(true);
    expect(silences.match({ ...STUCK, name: 'c' }, 1)).toBe(false);
  });

  let looks = 0;
  /** 500 that count how often they are looked at. */
  const many = (nameOf: (i: number) => string) => {
    looks = 0;
    return Array.from({ length: 500 }, (_, i) => ({
      ...silence({ name: nameOf(i) }),
      get endsAt() {
        looks += 1;
        return 1_000;
      },
    }));
  };

  it('500 patterns are compared with an alert once, not every second', () => {
    const silences = new Silences(many((i) => `job ${i} *`));
    const ask = (now: number) =>
      Array.from({ length: 100 }, (_, i) => silences.match({ ...STUCK, name: `job ${i} b` }, now));
    expect(ask(0)).not.toContain(false);
    const once = looks;
    for (let now = 1; now < 11; now += 1) expect(ask(now)).not.toContain(false);
    expect(looks - once).toBeLessThanOrEqual(1_000);
    expect(ask(1_000)).not.toContain(true);
  });

  it('500 exact names are looked up, not searched one by one, for each alert', () => {
    const silences = new Silences(many((i) => `job ${i}`));
    for (let i = 0; i < 5_000; i += 1) silences.match({ ...STUCK, name: `job ${i}` }, 0);
    expect(looks).toBeLessThanOrEqual(1_000);
  });

  it('match names as a regular expression with .* would', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '\\'), maxLength: 12 });
    const asRegex = (token: string) => {
      if (token === '*') return '.*';
      return token.length === 2 || /[.\\]/.test(token) ? `\\${token.at(-1)}` : token;
    };
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        const tokens = pattern.match(/\\[\\*]|./gs) ?? [];
        const regex = new RegExp(`^${tokens.map(asRegex).join('')}$`, 's');
        expect(matches({ name: pattern }, { ...STUCK, name })).toBe(regex.test(name));
      }),
      RUNS,
    );
  });

  it('with an exact name match that name alone, whatever characters it contains', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '*', '\\', ' '), maxLength: 6 });
    fc.assert(
      fc.property(text, text, (name, other) => {
        const matcher = { name: exactPattern(name) };
        expect(matches(matcher, { ...STUCK, name })).toBe(true);
        expect(matches(matcher, { ...STUCK, name: other })).toBe(other === name);
      }),
      RUNS,
    );
  });
});

/** What happens in one second: whether the rule is met, known, silenced; whether all restarts. */
const second = fc.record({
  isMet: fc.boolean(),
  isSilenced: fc.boolean(),
  lasts: fc.integer({ min: 1, max: 40 }),
  restarts: fc.boolean(),
});

/** One lock, read once a second. */
class Followed {
  readonly news: string[] = [];
  readonly faults: string[] = [];
  private now = 1_000_000;
  private metAt = 0;
  private alert: Alert | null = null;

  /** What is stored has no word of when it began to be quiet. */
  restart(): void {
    if (this.alert) this.alert = { ...this.alert, cleared: null };
  }

  pass(isMet: boolean, isSilenced: boolean): void {
    this.now += 1_000;
    const { now, alert: before } = this;
    if (isMet) this.metAt = now;
    const after = nextAlert(before, isMet ? reading(STUCK, now) : null, {
      now,
      monotonicMs: now,
      isSilenced: () => isSilenced,
    });
    if (after && isNews(before, after)) this.news.push(after.resolvedAt ? 'resolved' : 'firing');
    if (isMet && !after) this.faults.push('not fired');
    if (after?.resolvedAt && now - this.metAt < ALERT_QUIET_MS) this.faults.push('too early');
    if (after && after === before && isNews(before, after)) this.faults.push('news of nothing');
    this.alert = after?.resolvedAt ? null : after;
  }
}

describe('an alert', () => {
  it('fires once at a time, is resolved after 30 s of quiet, and reports each change once', () => {
    fc.assert(
      fc.property(fc.array(second, { maxLength: 20 }), (story) => {
        const lock = new Followed();
        for (const { isMet, isSilenced, lasts, restarts } of story) {
          if (restarts) lock.restart();
          for (let i = 0; i < lasts; i += 1) lock.pass(isMet, isSilenced);
        }
        expect(lock.faults).toEqual([]);
        expect(lock.news).toEqual(lock.news.map((_, i) => (i % 2 === 0 ? 'firing' : 'resolved')));
      }),
      RUNS,
    );
  });

  const isSilenced = () => false;
  const fired = (now: number) =>
    nextAlert(null, reading(STUCK, now), { now, monotonicMs: 0, isSilenced });

  it('is resolved after 30 s of quiet also where the clock is set back meanwhile', () => {
    let alert = fired(9_000_000);
    const look = (now: number, monotonicMs: number) => {
      alert = nextAlert(alert, null, { now, monotonicMs, isSilenced });
      return alert?.resolvedAt;
    };
    expect(look(9_010_000, 10_000)).toBeNull();
    expect(look(5_000_000, 10_001)).toBeNull();
    expect(look(5_029_998, 39_999)).toBeNull();
    expect(look(5_029_999, 40_000)).toBe(9_000_000);
  });

  it('is not resolved sooner where the clock is set forward meanwhile', () => {
    let alert = fired(1_000_000);
    const look = (now: number, monotonicMs: number) => {
      alert = nextAlert(alert, null, { now, monotonicMs, isSilenced });
      return alert?.resolvedAt;
    };
    expect(look(1_010_000, 10_000)).toBeNull();
    expect(look(9_000_000, 11_000)).toBeNull();
    expect(look(9_028_999, 39_999)).toBeNull();
    expect(look(9_029_000, 40_000)).toBe(1_010_000);
  });

  it('that was silenced is news when the silence ends, and no news where it ends before', () => {
    const at = (now: number, silenced: boolean) => ({
      ...{ now, monotonicMs: now },
      isSilenced: () => silenced,
    });
    const silenced = nextAlert(null, reading(STUCK, 0), at(5, true)) as Alert;
    expect(isNews(null, silenced)).toBe(false);
    const later = nextAlert(silenced, reading(STUCK, 0), at(9, false)) as Alert;
    expect(later.announcedAt).toBe(9);
    expect(isNews(silenced, later)).toBe(true);
    const quiet = nextAlert(silenced, null, at(6, false)) as Alert;
    const over = nextAlert(quiet, null, at(6 + ALERT_QUIET_MS, false)) as Alert;
    expect(over.resolvedAt).toBe(6);
    expect(isNews(quiet, over)).toBe(false);
  });
});

const WHOLE = { groups: Infinity, alertsInGroup: Infinity, alerts: Infinity };

/** Alerts that fire and are resolved at random, and a receiver that is sent them. */
class World {
  now = 1_000_000;
  private position = 0;
  private readonly alerts = new Map<number, SentAlert>();

  fire(id: number): void {
    if (this.alerts.get(id)?.resolvedAt === null) return;
    this.position += 1;
    const { now, position } = this;
    const key = id + 1_000 * position;
    this.alerts.delete(id);
    this.alerts.set(id, {
      ...STUCK,
      id: key,
      name: `lock ${id}`,
      namespace: `n${id % 3}`,
      since: now,
      firedAt: now,
      announcedAt: now,
      resolvedAt: null,
      sentence: '',
      position,
    });
    this.past.push(this.alerts.get(id) as SentAlert);
  }

  readonly past: SentAlert[] = [];

  resolve(id: number): void {
    const alert = this.alerts.get(id);
    if (!alert || alert.resolvedAt !== null) return;
    this.position += 1;
    Object.assign(alert, { resolvedAt: this.now, position: this.position });
  }
}

describe('messages', () => {
  it('are sent at most once a minute, each with the latest state of its alerts', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 40_000 }),
      fire: fc.boolean(),
      id: fc.integer({ min: 0, max: 30 }),
      restarts: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new World();
        let receiver: ReceiverState = { position: 0, messageAt: null };
        const sentAt: number[] = [];
        const known = new Map<number, string>();
        const look = () => {
          const due = dueMessage(receiver, structuredClone(world.past), world.now, WHOLE);
          if (!due) return;
          sentAt.push(due.message.at);
          expect(due.position).toBeGreaterThan(receiver.position);
          receiver = { position: due.position, messageAt: due.message.at };
          for (const { id, resolvedAt } of due.message.groups.flatMap((each) => each.alerts)) {
            const state = resolvedAt === null ? 'firing' : 'resolved';
            expect(known.get(id)).not.toBe(state);
            known.set(id, state);
          }
        };
        for (const { afterMs, fire, id, restarts } of steps) {
          world.now += afterMs;
          if (fire) world.fire(id);
          else world.resolve(id);
          if (restarts) receiver = { ...receiver };
          look();
        }
        world.now += 2 * MESSAGE_EVERY_MS;
        look();
        sentAt.reduce((before, at) => {
          expect(at - before).toBeGreaterThanOrEqual(MESSAGE_EVERY_MS);
          return at;
        }, 0);
        // A receiver that is new is not sent what was over before its first message.
        const firstAt = sentAt[0] ?? Number.POSITIVE_INFINITY;
        for (const { id, resolvedAt } of world.past) {
          if (resolvedAt === null) expect(known.get(id)).toBe('firing');
          else if (resolvedAt > firstAt) expect(known.get(id)).toBe('resolved');
        }
      }),
      RUNS,
    );
  });

  it('list some of many alerts, and count the others', () => {
    const world = new World();
    for (let id = 0; id < 900; id += 1) world.fire(id);
    world.now += 5_000;
    const due = dueMessage({ position: 0, messageAt: null }, world.past, world.now);
    expect(due?.message).toMatchObject({ firing: 900, began: 900, resolved: 0, unlisted: 870 });
    expect(due?.message.groups.map(({ firing }) => firing)).toEqual([300, 300, 300]);
  });

  it('count in their summary the groups that they do not list too', () => {
    const world = new World();
    for (let id = 0; id < 30; id += 1) world.fire(id);
    const own = world.past.map((alert, i) => ({ ...alert, namespace: `team-${i}` }));
    const due = dueMessage({ position: 0, messageAt: null }, own, world.now + 5_000);
    expect(due?.message.groups).toHaveLength(20);
    expect(due && messageSummary(due.message)).toMatch(/1 firing\. 27 more groups\.$/);
    const four = dueMessage({ position: 0, messageAt: null }, own.slice(0, 4), world.now + 5_000);
    expect(four && messageSummary(four.message)).toMatch(/1 firing\. 1 more group\.$/);
    const three = dueMessage({ position: 0, messageAt: null }, own.slice(0, 3), world.now + 5_000);
    expect(three && messageSummary(three.message)).not.toMatch(/more|not listed/);
  });

  it('neither list nor count an alert that is silenced', () => {
    const world = new World();
    for (const id of [0, 3]) world.fire(id);
    const alerts = world.past.map((alert, i) =>
      i === 0 ? alert : { ...alert, announcedAt: null },
    );
    const due = dueMessage({ position: 0, messageAt: null }, alerts, world.now + 5_000);
    expect(due).toMatchObject({ position: 1, message: { firing: 1, began: 1, unlisted: 0 } });
    expect(due?.message.groups).toMatchObject([{ firing: 1, alerts: [{ name: 'lock 0' }] }]);
  });

  it('wait 3 s for further alerts, and no longer if the clock is set back', () => {
    const world = new World();
    world.fire(1);
    const due = (at: number) => dueMessage({ position: 0, messageAt: null }, world.past, at);
    expect(due(world.now + 2_999)).toBeNull();
    expect(due(world.now + 3_000)).not.toBeNull();
    expect(due(world.now - 60_000)).not.toBeNull();
    const late = { position: 0, messageAt: world.now + 3_600_000 };
    expect(dueMessage(late, world.past, world.now + 3_000)).not.toBeNull();
  });
});

it('attempts are repeated after pauses that double up to five minutes', () => {
  expect([0, 1, 2, 8, 9, 5_000].map(retryDelayMs)).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ]);
  expect(mayAttempt(1_000, 999)).toBe(false);
  expect(mayAttempt(1_000, 1_000)).toBe(true);
  expect(mayAttempt(10_000_000, 1_000)).toBe(true);
});

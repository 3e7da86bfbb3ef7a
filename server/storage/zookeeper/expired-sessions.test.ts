import { expect, it, vi } from 'vitest';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { newTestLocation } from '@/db/testing/test-database';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { firstWords } from '@/scripts/servers/private-server.mjs';
import { startPrivateZookeeper } from '@/scripts/servers/private-zookeeper.mjs';
import { addTo, readCounter } from '../../engine/testing/counter-calls';
import { acquire, renew, takeLock } from '../../engine/testing/engine-rig';
import { eventsByLock } from '../../engine/testing/events-by-lock';
import { checkHistory, type RecordedCall } from '../../engine/testing/history-checker';
import { RandomCaller } from '../../engine/testing/random-caller';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { freshKey } from '../conformance/testing/changes';
import { recordAnswer } from '../conformance/testing/record-answer';
import { startProcess } from '../conformance/testing/start-process';
import { startVictim } from '../conformance/testing/start-victim';
import type { ZookeeperVictimTask } from '../conformance/testing/zookeeper-victim';
import { StoreIncarnation } from '../incarnation/store-incarnation';
import { openZookeeperStore } from './zookeeper-store';

/** The promise is 5 s; the rest is tolerance for a busy machine. */
const WITHIN_MS = 8_000;
const CALLS_BEFORE = 80;
const GRANTS_AFTER = 20;
const SOON = { timeout: 25_000, interval: 10 };

/** The shortest session timeout that a server with these ticks accepts. */
const SESSION_MS = 1_000;

/** The sessions that are connected. */
async function sessions(port: number): Promise<Set<string>> {
  const lines = await firstWords(port, 'cons');
  return new Set([...lines.matchAll(/sid=(0x[0-9a-f]{4,})/g)].map(([, id = '']) => id));
}

/** The connected sessions, once one of them is not among `others`. */
async function connected(port: number, others = new Set<string>()): Promise<Set<string>> {
  const now = await sessions(port);
  if ([...now].every((id) => others.has(id))) throw new Error('There is no other session.');
  return now;
}

it('a process whose session expires loses nothing, and does nothing twice', async () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  const server = await startPrivateZookeeper({ settings: [`maxSessionTimeout=${SESSION_MS}`] });
  const control = await newTestLocation('mysql');
  const database = await openDatabase(control.url);
  await migrate(database);
  const place = parseZookeeperUrl(`${server.url}/lockyard`);
  if (typeof place === 'string' || control.url.kind !== 'mysql') throw new Error(`${place}`);
  const port = place.servers[0]?.port ?? 0;
  const incarnation = await StoreIncarnation.open(database, 'default', Date.now());
  const store = await vi.waitFor(() => openZookeeperStore(place, incarnation), SOON);
  const here = await startProcess(async () => store);
  const [kept, keys] = [freshKey(), [freshKey(), freshKey()]];
  const counter = { ...freshKey(), kind: 'counter' as const };
  const task: ZookeeperVictimTask = {
    zookeeper: `${server.url}/lockyard`,
    control: control.url.url,
    seed,
    kept,
    keys,
    counter,
  };
  const alone = await vi.waitFor(() => connected(port), SOON);
  const victim = await startVictim('zookeeper-victim.ts', task);
  const own = new Set<RecordedCall>();
  let isOn = true;
  try {
    await vi.waitFor(() => expect(victim.calls().length).toBeGreaterThan(CALLS_BEFORE), SOON);
    const note = (call: RecordedCall) => void own.add(call);
    const random = seeded(seed);
    const rival = new RandomCaller({ member: here, owner: 'rival', keys, random, note });
    const rivalry = rival.live(() => isOn);
    const beside = await vi.waitFor(() => connected(port, alone), SOON);
    victim.signal('SIGSTOP');
    const theirs = [...beside].filter((id) => !alone.has(id));
    const isOver = (now: Set<string>) => now.size > 0 && theirs.some((id) => !now.has(id));
    await vi.waitFor(async () => expect(isOver(await sessions(port))).toBe(true), SOON);
    expect(await recordAnswer(acquire(here, kept, 'other'))).toMatchObject({ outcome: 'held' });

    const wokenAt = performance.now();
    victim.signal('SIGCONT');
    const wasGranted = ({ startedAt, verb, outcome }: RecordedCall) =>
      startedAt > wokenAt && verb === 'acquire' && outcome === 'ok';
    const granted = () => victim.calls().filter(wasGranted);
    await vi.waitFor(() => expect(granted().length).toBeGreaterThan(GRANTS_AFTER), SOON);
    const late = victim.calls().filter(({ startedAt, endedAt, waitMs = 0 }) => {
      const since = Math.max(startedAt, wokenAt);
      return (endedAt ?? performance.now()) > since + waitMs + WITHIN_MS;
    });
    expect(late).toEqual([]);
    expect(Math.min(...granted().map(({ endedAt }) => endedAt ?? 0))).toBeLessThan(
      wokenAt + WITHIN_MS,
    );
    const known = new Set([...alone, ...beside]);
    await vi.waitFor(async () => {
      expect([...(await sessions(port))].filter((id) => !known.has(id))).not.toEqual([]);
    }, SOON);
    // The victim exits if it receives an answer that must not occur.
    expect(victim.isAlive()).toBe(true);
    victim.signal('SIGKILL');
    await victim.ended;
    isOn = false;
    await rivalry;

    const { value } = await readCounter(here, counter);
    expect(value).toBeGreaterThan(0);
    const again = Array.from({ length: value + 1 }, (_, i) => addTo(here, counter, 1, `add-${i}`));
    await Promise.all(again);
    expect((await readCounter(here, counter)).value).toBe(value + 1);

    const { token } = await takeLock(here, kept, 'keeper', { leaseMs: 60_000, requestId: 'kept' });
    expect(await recordAnswer(renew(here, kept, 'keeper', token))).toMatchObject({
      outcome: 'renewed',
    });
    const written = await eventsByLock(store, [...keys, kept]);
    expect(written.get(kept.name)?.map(({ kind }) => kind)).toEqual(['granted', 'renewed']);
    const calls = [...victim.calls(), ...own];
    const heard = new Set(calls.map(({ lock, token: each }) => `${lock} ${each}`));
    const revertedGrants = (lock: string) => {
      const grants = (written.get(lock) ?? []).filter(({ kind }) => kind === 'granted');
      return grants.filter((grant) => !heard.has(`${lock} ${grant.token}`)).length;
    };
    expect(checkHistory(calls, { revertedGrants }), `seed ${seed}`).toEqual([]);
  } finally {
    isOn = false;
    victim.signal('SIGKILL');
    await here.engine.close();
    await database.close();
    await control.remove();
    await server.stop();
  }
});

import { BenchCallers } from './bench-callers';
import { LiveReader } from './live-reader';
import type { LookingCase } from './looking-case';
import type { ServerUnderLoad } from './server-under-load';

const EVENTS_PER_SECOND = 500;

/** How many live pages one person can have open. */
const STREAMS_PER_PERSON = 20;
const PASSWORD = 'seven herons wade at dawn';

/**
 * Cases about live lock lists: half of the streams show the common view, each of the others a
 * different one.
 */
export const listCases: LookingCase[] = [
  watching('50 streams over 10,000 locks', 50, 10_000),
  watching('20 streams over 100,000 locks', 20, 100_000),
];

function watching(name: string, streams: number, locks: number): LookingCase {
  let callers: BenchCallers;
  let cookies: string[] = [];
  return {
    name: `${name}, ${EVENTS_PER_SECOND} events/s`,
    async prepare(server) {
      await allowMore(server);
      callers = new BenchCallers(server);
      await callers.take(locks);
      cookies = await people(server, Math.ceil(streams / STREAMS_PER_PERSON));
    },
    async load(server) {
      const readers = Array.from(
        { length: streams },
        (_, i) => new LiveReader(server, cookies[i % cookies.length] ?? '', inputOf(i)),
      );
      const stop = callers.stir(EVENTS_PER_SECOND);
      const begunAt = performance.now();
      return async () => {
        const events = await stop();
        const seconds = (performance.now() - begunAt) / 1_000;
        const sum = (of: (reader: LiveReader) => number) =>
          readers.reduce((all, reader) => all + of(reader), 0);
        const slowed = sum(({ sawSlowed }) => Number(sawSlowed));
        const perSecond = sum(({ messages }) => messages) / streams / seconds;
        const kilobytes = sum(({ bytes }) => bytes) / seconds / 1_000;
        for (const reader of readers) reader.close();
        return (
          `${Math.round(events / seconds)} events/s, ${perSecond.toFixed(1)} messages/s for each` +
          ` stream, ${Math.round(kilobytes)} KB/s in all, ${slowed} of ${streams} slowed`
        );
      };
    },
  };
}

/** More locks than a namespace can have by default, in addition to those of the callers. */
export async function allowMore(server: ServerUnderLoad): Promise<void> {
  const namespaces = await server.askConsole('namespaces.list');
  const { policy } = (namespaces as { name: string; policy: object }[])[0] ?? {};
  const more = { ...policy, maxLocks: 1_000_000 };
  await server.callConsole('namespaces.setPolicy', {
    name: 'default',
    policy: more,
    reason: 'a bench',
  });
}

/** Signs in `count` viewers. */
async function people(server: ServerUnderLoad, count: number): Promise<string[]> {
  const cookies: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const name = `viewer-${i}`;
    await server.callConsole('people.create', { name, role: 'viewer', password: PASSWORD });
    cookies.push(await server.signIn(name, PASSWORD));
  }
  return cookies;
}

const SORTS = ['worst', 'name', 'held', 'lease', 'waiters'];

function inputOf(i: number): object {
  if (i % 2 === 0) return {};
  const own = (i - 1) / 2;
  const filters = [
    { search: `order-${own}` },
    { status: 'held' },
    { search: `tenant-${own}/` },
    {},
  ];
  const sort = SORTS[own % SORTS.length];
  return { ...filters[own % filters.length], sort, descending: own % 3 === 0, limit: 100 + own };
}

import { type BrowserContext, test as base } from 'playwright/test';
import { LockyardClient } from '../client/lockyard';
import { type RunningServer, startServer } from './start-server';

export { expect } from 'playwright/test';

export interface Person {
  name: string;
  password: string;
  role: 'viewer' | 'operator' | 'admin';
  /** The session cookie, as the value of a `Cookie` header. */
  cookie: string;
}

interface PerWorker {
  /**
   * One built server for each worker, with its own data folder. A spec that stops it must start it
   * again.
   */
  server: RunningServer;
  /** The first admin, set up through the one-time link. */
  admin: Person;
}

export const test = base.extend<object, PerWorker>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads fixtures from it
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.discard();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  admin: [
    async ({ server }, use) => {
      await use(await setUp(server));
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
});

/** Creates the first admin of a server through its one-time link. */
export async function setUp(server: RunningServer): Promise<Person> {
  const person = { name: 'ada', password: 'correct horse battery' };
  const token = tokenOf(server.setupLink);
  const { cookie } = await callConsole(server, '', 'session.setup', { ...person, token });
  return { ...person, role: 'admin', cookie };
}

/** Creates a person through the console's API, signed in. */
export async function createPerson(
  server: RunningServer,
  admin: Person,
  role: Person['role'],
  name: string,
): Promise<Person> {
  const password = `${name} has a long password`;
  await callConsole(server, admin.cookie, 'people.create', { name, role, password });
  const { cookie } = await callConsole(server, '', 'session.signIn', { name, password });
  return { name, password, role, cookie };
}

/** Creates an API key and returns it. */
export async function createKey(
  server: RunningServer,
  admin: Person,
  name: string,
  namespaces = ['default'],
): Promise<string> {
  const { data } = await callConsole(server, admin.cookie, 'keys.create', { name, namespaces });
  return (data as { key: string }).key;
}

/**
 * A service with its own key, as a client of the client package. Its owner is `<name>-1`.
 */
export async function createService(
  server: RunningServer,
  admin: Person,
  name: string,
  namespaces?: string[],
): Promise<LockyardClient> {
  const apiKey = await createKey(server, admin, name, namespaces);
  return new LockyardClient({ url: server.url, apiKey, owner: `${name}-1` });
}

type Ask = Parameters<LockyardClient['acquire']>[0];

/**
 * Waits for a lock and returns the outcome, or `gone` if no answer came. A request is held open for
 * 25 s at most; one that asks again with the same id keeps its place.
 */
export async function waitFor(client: LockyardClient, ask: Ask): Promise<string> {
  const whole = { waitMs: 600_000, requestId: `${ask.owner} ${ask.name}`, ...ask };
  for (;;) {
    const outcome = await client.acquire(whole).then(
      (answer) => answer.outcome,
      () => 'gone',
    );
    if (outcome !== 'queued') return outcome;
  }
}

/** Gives a browser a user's session without the sign-in page. */
export async function signIn(
  context: BrowserContext,
  server: RunningServer,
  person: Person,
): Promise<void> {
  const [name = '', value = ''] = person.cookie.split('=');
  await context.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: 'Strict' }]);
}

/**
 * Calls a mutation of the console's API and returns its data, and the session cookie if it set one.
 */
export async function callConsole(
  server: RunningServer,
  cookie: string,
  procedure: string,
  input: object,
): Promise<{ data: unknown; cookie: string }> {
  const { body, reply } = await postToConsole(server, cookie, procedure, input);
  if (!body.result)
    throw new Error(`${procedure} answered ${reply.status}: ${body.error?.message}`);
  const set = reply.headers.getSetCookie()[0]?.split(';')[0];
  return { data: body.result.data, cookie: set ?? cookie };
}

/** Why the console's API refuses a mutation; null if it does not. */
export async function refusalOf(
  server: RunningServer,
  cookie: string,
  procedure: string,
  input: object,
): Promise<string | null> {
  const { body } = await postToConsole(server, cookie, procedure, input);
  return body.error?.data.reason ?? null;
}

interface ConsoleAnswer {
  result?: { data: unknown };
  error?: { message: string; data: { reason: string } };
}

async function postToConsole(
  server: RunningServer,
  cookie: string,
  procedure: string,
  input: object,
): Promise<{ body: ConsoleAnswer; reply: Response }> {
  const reply = await fetch(`${server.url}/api/trpc/${procedure}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.url, Cookie: cookie },
    body: JSON.stringify(input),
  });
  return { body: (await reply.json()) as ConsoleAnswer, reply };
}

/** The one-time token in a link that the server printed. */
export const tokenOf = (link: string | null): string => link?.split('token=').at(-1) ?? '';

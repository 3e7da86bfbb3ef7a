/**
 * Programs that use clients from third-party generators. Each calls every procedure named in
 * `CALLS` once and writes the answers, by procedure, as JSON.
 */
const COMMON = `
const env = process.env as Record<string, string>;
const { CALLS, LOCKYARD_URL, LOCKYARD_API_KEY, WITNESS_KEY } = env;
const baseUrl = LOCKYARD_URL + '/api/v1';
const calls: [string, string, object][] = JSON.parse(CALLS!);
const keyFor = (name: string) => (name.startsWith('witness') ? WITNESS_KEY : LOCKYARD_API_KEY);
const headersFor = (name: string) => ({ authorization: 'Bearer ' + keyFor(name) });
const camel = (name: string) => name.replace(/\\.(.)/, (_, letter) => letter.toUpperCase());
const answers: Record<string, unknown> = {};
`;

const REPORT = `console.log(JSON.stringify(answers));`;

/** By generator: the command that generates, and the program. */
export const GENERATORS: Record<string, { command: string[]; program: string }> = {
  'openapi-typescript': {
    command: ['openapi-typescript', 'openapi.json', '-o', 'openapi-typescript.d.ts'],
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript';
${COMMON}
const typed = createClient<paths>({ baseUrl, headers: headersFor('lock') });
const known = await typed.GET('/lock.inspect', { params: { query: { name: 'typed' } } });
const state: string | undefined = known.data?.result.data.state;
if (state !== 'free') throw new Error('typed: ' + state);
for (const [name, method, input] of calls) {
  const client = createClient<any>({ baseUrl, headers: headersFor(name) }) as any;
  const { data, error } = method === 'GET'
    ? await client.GET('/' + name, { params: { query: input } })
    : await client.POST('/' + name, { body: input });
  answers[name] = data ?? error;
}
${REPORT}`,
  },
  '@hey-api/openapi-ts': {
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'],
    program: `
import * as sdk from './hey';
import { client } from './hey/client.gen';
${COMMON}
client.setConfig({ baseUrl, headers: headersFor('lock') });
const known = await sdk.lockInspect({ query: { name: 'typed' } });
const state: string | undefined = known.data?.result.data.state;
if (state !== 'free') throw new Error('typed: ' + state);
for (const [name, method, input] of calls) {
  const call = (sdk as any)[camel(name)];
  const options = method === 'GET' ? { query: input } : { body: input };
  const { data, error } = await call({ ...options, headers: headersFor(name) });
  answers[name] = data ?? error;
}
${REPORT}`,
  },
  orval: {
    command: ['orval', '--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch'],
    program: `
import * as sdk from './orval';
${COMMON}
// Its URLs are relative, as for a page of the same server.
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(baseUrl + String(path), init);
const known = await sdk.lockInspect({ name: 'typed' }, { headers: headersFor('lock') });
const state: string | undefined = known.status === 200 ? known.data.result.data.state : undefined;
if (state !== 'free') throw new Error('typed: ' + state);
for (const [name, , input] of calls) {
  const { data } = await (sdk as any)[camel(name)](input, { headers: headersFor(name) });
  answers[name] = data;
}
${REPORT}`,
  },
};

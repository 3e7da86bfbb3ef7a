import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Granted } from '../../wire/wire';
import { CommandRig } from '../testing/command-rig';
import { McpConnection, type Tool } from './mcp-connection';

interface ToolAnswer {
  content: { type: string; text: string }[];
  isError?: boolean;
}

/** A session of an agent: the command as a process, and what it answers by id. */
class Session {
  private readonly answers = new Map<number, (answer: { result?: unknown }) => void>();
  private last = 0;

  private constructor(readonly child: ChildProcess) {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const answer = JSON.parse(line);
      this.answers.get(answer.id)?.(answer);
    });
  }

  static start(...words: string[]): Session {
    const env = rig.environment as NodeJS.ProcessEnv;
    const child = spawn(process.execPath, [rig.bundle, 'mcp', ...words], { env });
    sessions.push(child);
    return new Session(child);
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async ask(method: string, params: object = {}): Promise<unknown> {
    this.last += 1;
    const id = this.last;
    const answer = new Promise<{ result?: unknown }>((resolve) => this.answers.set(id, resolve));
    this.send({ id, method, params });
    return (await answer).result;
  }

  async tool(name: string, input: object = {}): Promise<ToolAnswer> {
    return (await this.ask('tools/call', { name, arguments: input })) as ToolAnswer;
  }

  /** The JSON of a tool that succeeded. */
  async value(name: string, input: object = {}) {
    const { content, isError } = await this.tool(name, input);
    if (isError) throw new Error(content[0]?.text);
    return JSON.parse(content[0]?.text ?? '');
  }

  async end(): Promise<number | null> {
    const exit = once(this.child, 'exit');
    this.child.stdin?.end();
    return (await exit)[0];
  }
}

let rig: CommandRig;
const sessions: ChildProcess[] = [];

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(async () => {
  for (const child of sessions) child.kill('SIGKILL');
  await rig.close();
});

test('an agent holds a lock until its session ends, and another sees who has it', async () => {
  const [first, second] = [Session.start('--owner', 'agent-1'), Session.start()];
  const asked = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test' } };
  expect(await first.ask('initialize', asked)).toMatchObject({
    protocolVersion: '2025-03-26',
    capabilities: { tools: {} },
    serverInfo: { name: 'lockyard' },
  });
  first.send({ method: 'notifications/initialized' });
  const { tools } = (await first.ask('tools/list')) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual([
    'list_locks',
    'inspect_lock',
    'acquire_lock',
    'release_lock',
    'my_locks',
  ]);

  const wanted = { name: 'repo:schema', purpose: 'add invoice numbers' };
  const granted = await first.value('acquire_lock', wanted);
  expect(granted).toMatchObject({ outcome: 'granted', name: 'repo:schema' });
  expect(await first.value('acquire_lock', wanted)).toMatchObject({
    outcome: 'alreadyMine',
    token: granted.token,
  });
  expect(await second.value('acquire_lock', wanted)).toMatchObject({
    outcome: 'held',
    holders: [{ owner: 'agent-1' }],
  });
  expect(await second.value('inspect_lock', { name: 'repo:schema' })).toMatchObject({
    state: 'held',
    holders: [{ token: granted.token }],
  });
  await expect
    .poll(() => second.value('list_locks', { prefix: 'repo:' }))
    .toMatchObject({ locks: [{ name: 'repo:schema', holders: [{ owner: 'agent-1' }] }] });
  expect(await second.value('my_locks')).toEqual({ locks: [] });

  const waits = second.value('acquire_lock', { ...wanted, waitSeconds: 30 });
  await expect
    .poll(async () => (await rig.client.inspect({ name: 'repo:schema' })).waiters.length)
    .toBe(1);
  expect(await first.end()).toBe(0);
  expect(await waits).toMatchObject({ outcome: 'granted' });
  expect(await second.value('release_lock', { name: 'repo:schema' })).toEqual({
    outcome: 'released',
    name: 'repo:schema',
  });
  expect(await second.tool('release_lock', { name: 'repo:schema' })).toEqual({
    content: [{ type: 'text', text: 'This session does not hold "repo:schema".' }],
    isError: true,
  });
  second.child.kill('SIGTERM');
  expect((await once(second.child, 'exit'))[0]).toBe(0);
});

test('a wait that is cancelled, or whose session ends, leaves the queue', async () => {
  await rig.client.acquire({ name: 'busy', leaseMs: 60_000 });
  const waiters = async () => (await rig.client.inspect({ name: 'busy' })).waiters.length;
  const session = Session.start();
  const input = { name: 'busy', purpose: 'try', waitSeconds: 60 };
  const wait = (id: string) =>
    session.send({
      id,
      method: 'tools/call',
      params: { name: 'acquire_lock', arguments: input },
    });
  wait('a');
  await expect.poll(waiters).toBe(1);
  session.send({ method: 'notifications/cancelled', params: { requestId: 'a' } });
  await expect.poll(waiters).toBe(0);
  wait('b');
  await expect.poll(waiters).toBe(1);
  expect(await session.end()).toBe(0);
  expect(await waiters()).toBe(0);
});

test('calls of one session for the same lock get it together, not one from the other', async () => {
  const session = Session.start();
  const input = { name: 'both', purpose: 'try' };
  for (const waitSeconds of [0, 30]) {
    const calls = [1, 2, 3].map(() => session.value('acquire_lock', { ...input, waitSeconds }));
    const [first, ...others] = await Promise.all(calls);
    expect(first).toMatchObject({ outcome: 'granted' });
    for (const other of others) {
      expect(other).toMatchObject({ outcome: 'alreadyMine', token: first.token });
    }
    await session.value('release_lock', { name: 'both' });
  }
  expect(await session.end()).toBe(0);
});

test('a call that would not wait is answered while an earlier one waits for the lock', async () => {
  const { token } = (await rig.client.acquire({ name: 'long', leaseMs: 60_000 })) as Granted;
  const session = Session.start();
  const input = { name: 'long', purpose: 'try' };
  const waits = session.value('acquire_lock', { ...input, waitSeconds: 60 });
  const waiters = async () => (await rig.client.inspect({ name: 'long' })).waiters.length;
  await expect.poll(waiters).toBe(1);
  const held = { outcome: 'held', holders: [{ owner: 'onlooker' }] };
  expect(await session.value('acquire_lock', input)).toMatchObject(held);
  expect(await waiters()).toBe(1);
  await rig.client.release({ name: 'long', token });
  expect(await waits).toMatchObject({ outcome: 'granted' });
  expect(await session.end()).toBe(0);
});

test('the next call of an agent says that its lock was lost, once', async () => {
  const session = Session.start();
  const { token } = await session.value('acquire_lock', { name: 'taken', purpose: 'try' });
  const { holders } = await rig.client.inspect({ name: 'taken' });
  await rig.client.release({ name: 'taken', owner: holders[0]?.owner ?? '', token });
  const texts = async () => (await session.tool('my_locks')).content.map(({ text }) => text);
  // The next renewal, a third of the lease later, finds out.
  const lost = /^Lost the lock "taken" \(token \d+\): .*\. Stop that work\.$/;
  await expect
    .poll(texts, { timeout: 20_000, interval: 500 })
    .toEqual(['{"locks":[]}', expect.stringMatching(lost)]);
  expect(await texts()).toEqual(['{"locks":[]}']);
  expect(await session.end()).toBe(0);
}, 30_000);

/** What a connection sends, and a way to let it take lines. */
function connected(tools: Tool[] = [], notices: string[] = []) {
  const sent: unknown[] = [];
  const send = (line: string) => sent.push(JSON.parse(line));
  const server = { name: 'lockyard', version: '0' };
  const connection = new McpConnection(server, tools, () => notices.splice(0), send);
  const receive = async (...lines: string[]) => {
    for (const line of lines) connection.receive(line);
    await new Promise(setImmediate);
  };
  return { sent, receive };
}

/** A tool whose calls end when they are cancelled. */
const ENDLESS: Tool = {
  name: 'wait',
  description: '',
  inputSchema: { type: 'object', properties: {}, required: [] },
  annotations: { readOnlyHint: true },
  call: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
};
const QUICK: Tool = { ...ENDLESS, name: 'quick', call: async () => ({ done: true }) };

test('a mistake is answered, and the session goes on', async () => {
  const { sent, receive } = connected();
  await receive(
    'x',
    '',
    '[]',
    '{"jsonrpc":"2.0","id":1,"method":"resources/list"}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"__proto__"}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}',
    '{"jsonrpc":"2.0","id":3,"result":{}}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{"n":1},"method":"ping"}',
    '{"jsonrpc":"2.0","id":5}',
    '{"jsonrpc":"2.0","id":4,"method":"ping"}',
  );
  const answers = sent as { id: unknown; error?: { code: number }; result?: object }[];
  expect(answers.map(({ id, error, result }) => [id, error?.code ?? result])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [1, -32_601],
    [2, -32_602],
    [null, -32_600],
    [null, -32_600],
    [5, -32_600],
    [4, {}],
  ]);
});

test('a batch is answered as one, without notifications, once its calls have ended', async () => {
  const { sent, receive } = connected([ENDLESS, QUICK]);
  const call = (id: number, name: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`;
  const ping = '{"jsonrpc":"2.0","id":3,"method":"ping"}';
  const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  await receive(`[${call(1, 'wait')},${call(2, 'quick')},${ping},${note},7]`, `[${note}]`);
  expect(sent).toEqual([]);
  await receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  expect(sent).toEqual([
    [
      expect.objectContaining({
        id: 2,
        result: { content: [{ type: 'text', text: '{"done":true}' }] },
      }),
      { jsonrpc: '2.0', id: 3, result: {} },
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
    ],
  ]);
});

test('a call that is cancelled keeps what the agent has to know for the next answer', async () => {
  const notices: string[] = [];
  const { sent, receive } = connected([ENDLESS, QUICK], notices);
  await receive('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}');
  notices.push('Lost the lock "a".');
  await receive(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quick"}}',
  );
  const texts = ['{"done":true}', 'Lost the lock "a".'].map((text) => ({ type: 'text', text }));
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 2, result: { content: texts } }]);
});

test.each([
  [{ name: 'a' }, 'purpose: must be a text.'],
  [{ name: '', purpose: 'try' }, 'name: must be a text.'],
  [{ name: 'a', purpose: 'try', waitSeconds: 601 }, 'waitSeconds: must be a number from 0 to 600.'],
  [{ name: 'a', purpose: 'try', lease: 1 }, 'The input has no field "lease".'],
  [{ name: 'a', purpose: 'try', constructor: 1 }, 'The input has no field "constructor".'],
])('an input of acquire_lock such as %j is refused', async (input, message) => {
  const session = Session.start();
  const { content, isError } = await session.tool('acquire_lock', input);
  expect([content[0]?.text, isError]).toEqual([message, true]);
  await session.end();
});

import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  type Hold,
  LockLost,
  LockTimeout,
  LockUpgradeRefused,
  LockyardClient,
  type LockyardClientOptions,
  LockyardError,
  ReleaseUnconfirmed,
  type WithLockOptions,
  withLock,
} from '@/client/lockyard';

/** The agent of the TypeScript client: see `ClientAgent`. */

interface Command {
  do: string;
  id: string;
  name: string;
  options: WithLockOptions & { stays?: boolean };
  client: LockyardClientOptions;
  procedure: string;
  input: object;
  file: string;
  rounds: number;
  workers: number;
}

const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);

const clients = new Map<string, LockyardClient>();

function clientOf(options: LockyardClientOptions): LockyardClient {
  const key = JSON.stringify(options);
  const client = clients.get(key) ?? new LockyardClient(options);
  clients.set(key, client);
  return client;
}

const work = new Map<string, { give: (command: Command) => void; stop: AbortController }>();

async function lock({ id, name, options: { stays, ...options }, client }: Command) {
  const queue: Command[] = [];
  let wake = () => {};
  const stop = new AbortController();
  const give = (command: Command) => {
    queue.push(command);
    wake();
  };
  work.set(id, { give, stop });
  const remarked = (what: string) => (remark: object) =>
    say({ id, event: 'remark', what, ...remark });
  const all: WithLockOptions = {
    ...options,
    client: clientOf(client),
    signal: stop.signal,
    onAskedToRelease: remarked('asked'),
    onRenewalsStopped: remarked('stopped'),
  };
  if (options.waitMs === null) all.waitMs = Number.POSITIVE_INFINITY;
  return withLock(name, all, async (hold) => {
    hold.signal.addEventListener('abort', () => {
      say({ id, event: 'aborted' });
      wake();
    });
    const { token, waitedMs, expiresAt } = hold;
    say({ id, event: 'begun', token, waitedMs, expiresAt });
    for (;;) {
      const command = queue.shift();
      if (command?.do === 'finish') return 'result';
      if (command?.do === 'fail') throw new WorkFailed();
      if (command) await during(id, hold, all, command);
      else if (hold.signal.aborted && !stays) throw hold.signal.reason;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  });
}

class WorkFailed extends Error {}

async function during(id: string, hold: Hold, { client }: WithLockOptions, command: Command) {
  const at = Date.now();
  const ms = hold.remainingMs();
  if (command.do === 'remaining') say({ id, event: 'remaining', ms, at });
  if (command.do === 'step') say({ id, event: ms > 0 ? 'stepped' : 'refused' });
  if (command.do !== 'nested') return;
  const onAskedToRelease = (remark: object) =>
    say({ id, event: 'remark', what: 'asked within', ...remark });
  const options = { ...command.options, client, onAskedToRelease };
  await withLock(command.name, options, (inner) =>
    say({ id, event: 'nested', token: inner.token }),
  ).catch((error: unknown) => say({ id, event: 'nested', ...facts(error) }));
}

function facts(error: unknown): object {
  if (error instanceof LockLost) {
    return { error: 'LockLost', token: error.token, ...error.loss, because: nameOf(error.cause) };
  }
  if (error instanceof LockTimeout) {
    const { message, holders, queueLength, frozen } = error;
    return { error: 'LockTimeout', message, holders, queueLength, frozen };
  }
  if (error instanceof LockUpgradeRefused) {
    return { error: 'LockUpgradeRefused', lock: error.lock, token: error.token };
  }
  if (error instanceof LockyardError) {
    const { message, reason, isUnreachable, retryAfterMs, capacity, detail, requestId } = error;
    const known = { retryAfterMs, capacity, detail, requestId };
    return { error: 'LockyardError', message, reason, isUnreachable, ...known };
  }
  if (error instanceof ReleaseUnconfirmed) {
    return { error: 'ReleaseUnconfirmed', result: error.result, because: nameOf(error.cause) };
  }
  return { error: nameOf(error) };
}

function nameOf(error: unknown): string | undefined {
  if (error instanceof WorkFailed) return 'WorkFailed';
  if (error instanceof DOMException && error.name === 'AbortError') return 'Abandoned';
  return error instanceof Error ? error.name : undefined;
}

async function count({ name, file, rounds, workers }: Command) {
  const worker = async () => {
    for (let round = 0; round < rounds; round++) {
      await withLock(name, { client: clientOf({}), ownHold: true }, async () => {
        const seen = Number(readFileSync(file, 'utf8'));
        await new Promise((resolve) => setTimeout(resolve, 1));
        writeFileSync(file, String(seen + 1));
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

async function call({ procedure, input, client }: Command): Promise<object> {
  const api = clientOf(client) as unknown as Record<string, (input: object) => Promise<object>>;
  const answer = await api[procedure]?.(input);
  return { answer };
}

async function obey(command: Command): Promise<void> {
  const { id } = command;
  const ended = (how: object) => say({ id, event: 'ended', ...how });
  const failed = (error: unknown) => facts(error);
  if (command.do === 'lock') ended(await lock(command).then((result) => ({ result }), failed));
  else if (command.do === 'count') ended(await count(command).then(() => ({}), failed));
  else if (command.do === 'call') {
    const answer = await Promise.resolve()
      .then(() => call(command))
      .catch(failed);
    say({ id, event: 'answer', ...answer });
  } else if (command.do === 'giveUp') work.get(id)?.stop.abort();
  else work.get(id)?.give(command);
}

createInterface(process.stdin)
  .on('line', (line) => void obey(JSON.parse(line) as Command))
  .on('close', () => process.exit());

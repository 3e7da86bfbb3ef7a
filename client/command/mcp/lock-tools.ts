import { type AcquiredHold, acquireHold } from '../../acquire-hold';
import { LockTimeout } from '../../errors';
import type { LockyardClient } from '../../lockyard-client';
import { pause } from '../../platform/client-clock';
import type { Remark } from '../../wire/wire';
import type { Tool } from './mcp-connection';

const NAME = {
  type: 'string',
  description: 'The name of the lock, such as repo:billing/schema. 1 to 200 bytes.',
};
const WAIT_MAX_SECONDS = 600;
const LISTED = 200;

/** How long a call at least waits for an earlier one of this session for the same lock. */
const JOIN_WITHIN_MS = 1_000;

/** Locks as tools for a model. What it acquires is renewed until it is released, or the end. */
export class LockTools {
  private readonly holds = new Map<string, AcquiredHold>();
  /** The last call of `acquire_lock` for each name, until it is answered. */
  private readonly calls = new Map<string, Promise<unknown>>();
  private notices: string[] = [];

  constructor(private readonly client: LockyardClient) {}

  /** What has happened to the holds since the last call. */
  readonly takeNotices = (): string[] => this.notices.splice(0);

  /** Releases everything. What is not confirmed stays held until the end of its lease. */
  async releaseAll(): Promise<void> {
    await Promise.allSettled([...this.holds.values()].map((hold) => hold.release()));
  }

  get all(): Tool[] {
    return [
      {
        name: 'list_locks',
        description:
          'Lists locks that are held, expired or waited for, with the holder of each. It shows ' +
          `what others are working on. At most ${LISTED} locks.`,
        inputSchema: {
          type: 'object',
          properties: { prefix: { type: 'string', description: 'Only names with this prefix.' } },
          required: [],
        },
        annotations: { readOnlyHint: true },
        call: ({ prefix }, signal) => this.list(prefix, signal),
      },
      {
        name: 'inspect_lock',
        description: 'Shows who holds a lock, since when, and who waits for it.',
        inputSchema: { type: 'object', properties: { name: NAME }, required: ['name'] },
        annotations: { readOnlyHint: true },
        call: ({ name }, signal) => this.client.inspect({ name: textOf('name', name) }, { signal }),
      },
      {
        name: 'acquire_lock',
        description:
          'Acquires a lock, so that no other program or agent holds it. It is renewed until ' +
          'release_lock, or until this session ends. With outcome "held" another one has it: do ' +
          'not begin the work.',
        inputSchema: {
          type: 'object',
          properties: {
            name: NAME,
            purpose: { type: 'string', description: 'What for, in a few words; others see it.' },
            waitSeconds: {
              type: 'number',
              minimum: 0,
              maximum: WAIT_MAX_SECONDS,
              description: 'How long to wait in the queue; default 0.',
            },
          },
          required: ['name', 'purpose'],
        },
        annotations: { readOnlyHint: false, idempotentHint: true },
        call: (input, signal) => this.acquire(input, signal),
      },
      {
        name: 'release_lock',
        description:
          'Releases a lock that this session has acquired. Do it as soon as the work ends.',
        inputSchema: { type: 'object', properties: { name: NAME }, required: ['name'] },
        annotations: { readOnlyHint: false },
        call: ({ name }) => this.release(textOf('name', name)),
      },
      {
        name: 'my_locks',
        description: 'Lists the locks that this session holds, with their fencing tokens.',
        inputSchema: { type: 'object', properties: {}, required: [] },
        annotations: { readOnlyHint: true },
        call: async () => ({ locks: [...this.holds.values()].filter(isHeld).map(heldLock) }),
      },
    ];
  }

  private list(prefix: unknown, signal: AbortSignal) {
    const chosen = prefix === undefined ? {} : { prefix: textOf('prefix', prefix) };
    return this.client.list({ ...chosen, busy: true, limit: LISTED }, { signal });
  }

  /** Calls for one lock take turns: once one of them has the lock, all the others have it too. */
  private async acquire(
    { name: given, purpose, waitSeconds = 0 }: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<object> {
    const name = textOf('name', given);
    const mine = this.held(name);
    if (mine) return mine;
    const task = textOf('purpose', purpose);
    const seconds = Number(waitSeconds);
    if (!(seconds >= 0 && seconds <= WAIT_MAX_SECONDS)) {
      throw new Error(`waitSeconds: must be a number from 0 to ${WAIT_MAX_SECONDS}.`);
    }
    const call = this.afterCall(this.calls.get(name), { name, task, seconds }, signal);
    this.calls.set(name, call);
    try {
      return await call;
    } finally {
      if (this.calls.get(name) === call) this.calls.delete(name);
    }
  }

  private async afterCall(
    earlier: Promise<unknown> | undefined,
    { name, task, seconds }: { name: string; task: string; seconds: number },
    signal: AbortSignal,
  ): Promise<object> {
    const { clock } = this.client.settings;
    const until = clock.monotonic() + seconds * 1_000;
    if (earlier) {
      const joined = new AbortController();
      const end = () => joined.abort();
      earlier.then(end, end);
      const patience = AbortSignal.any([signal, joined.signal]);
      await pause(clock, Math.max(seconds * 1_000, JOIN_WITHIN_MS), patience).catch(() => {});
      signal.throwIfAborted();
    }
    return this.held(name) ?? this.ask(name, task, until - clock.monotonic(), signal);
  }

  private async ask(
    name: string,
    task: string,
    leftMs: number,
    signal: AbortSignal,
  ): Promise<object> {
    const options = { client: this.client, meta: { task }, signal };
    try {
      const hold = await acquireHold(name, {
        ...options,
        waitMs: Math.max(0, Math.round(leftMs)),
        onAskedToRelease: ({ by, reason }) => this.asked(name, by, reason),
        onRenewalsStopped: ({ by, reason }) => this.asked(name, by, reason),
      });
      if (signal.aborted) {
        // It was cancelled as the grant came, so the caller does not know of it.
        await hold.release().catch(() => {});
        throw signal.reason;
      }
      this.keep(name, hold);
      return { outcome: 'granted', ...heldLock(hold) };
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error;
      const { holders, queueLength, frozen } = error;
      return frozen === null
        ? { outcome: 'held', holders, queueLength }
        : { outcome: 'frozen', reason: frozen };
    }
  }

  /** The answer for a lock that this session holds; null if it does not. */
  private held(name: string): object | null {
    const hold = this.holds.get(name);
    return hold && isHeld(hold) ? { outcome: 'alreadyMine', ...heldLock(hold) } : null;
  }

  private keep(name: string, hold: AcquiredHold): void {
    this.holds.set(name, hold);
    hold.signal.addEventListener('abort', () => {
      if (this.holds.get(name) !== hold) return;
      this.holds.delete(name);
      hold.release().catch(() => {});
      const { reason } = hold.signal;
      this.notices.push(`${reason instanceof Error ? reason.message : reason} Stop that work.`);
    });
  }

  private asked(name: string, by: Remark['by'], reason: Remark['reason']): void {
    this.notices.push(`${by} asks you to release "${name}" soon: ${reason}`);
  }

  private async release(name: string): Promise<object> {
    const hold = this.holds.get(name);
    if (!hold) throw new Error(`This session does not hold "${name}".`);
    this.holds.delete(name);
    await hold.release();
    return { outcome: 'released', name };
  }
}

/** After this process was stopped, it may not have noticed the end of a lease yet. */
const isHeld = (hold: AcquiredHold) => hold.remainingMs() > 0;

const heldLock = (hold: AcquiredHold) => ({
  name: hold.name,
  token: hold.token,
  leaseLeftMs: Math.floor(hold.remainingMs()),
});

function textOf(field: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new Error(`${field}: must be a text.`);
}

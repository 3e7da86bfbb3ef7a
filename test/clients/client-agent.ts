import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A line that an agent writes. `ended` has `error` unless the work was completed. */
export interface AgentEvent {
  id: string;
  event:
    | 'begun'
    | 'aborted'
    | 'ended'
    | 'stepped'
    | 'refused'
    | 'remaining'
    | 'nested'
    | 'remark'
    | 'answer';
  /** `LockLost`, `LockTimeout`, `LockyardError` …, `Abandoned`, or `WorkFailed`. */
  error?: string;
  [fact: string]: unknown;
}

export interface AgentProgram {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** How long an agent may take for anything, on any machine. */
const PATIENCE_MS = 45_000;

/**
 * A program in some language that uses that language's client on command: it reads a line of JSON
 * for each command, and writes one for each event.
 */
export class ClientAgent {
  private readonly events: AgentEvent[] = [];
  private readonly waiting = new Set<() => void>();
  private ids = 0;
  private complaint = '';

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface(child.stdout).on('line', (line) => {
      this.events.push(JSON.parse(line) as AgentEvent);
      for (const wake of this.waiting) wake();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaint += text;
    });
    child.on('error', (error) => {
      this.complaint += String(error);
    });
    child.on('close', () => {
      for (const wake of this.waiting) wake();
    });
  }

  static start(
    { command, args, env = {} }: AgentProgram,
    variables: Record<string, string>,
  ): ClientAgent {
    const all = { ...process.env, LC_ALL: 'C.UTF-8', ...env, ...variables };
    return new ClientAgent(spawn(command, args, { env: all }));
  }

  /** Acquires a lock, and works under it until `finish`, `fail` or, unless `stays`, its loss. */
  lock(name: string, options: Record<string, unknown> = {}, client: object = {}): AgentWork {
    const id = String(++this.ids);
    this.send({ do: 'lock', id, name, options, client });
    return new AgentWork(this, id);
  }

  /** Increments the number in a file under a lock, `rounds` times in each of `workers` workers. */
  count(ask: { name: string; file: string; rounds: number; workers: number }): Promise<AgentEvent> {
    const id = String(++this.ids);
    this.send({ do: 'count', id, ...ask });
    return this.next(id, 'ended');
  }

  /** One procedure of the service API. */
  call(procedure: string, input: object, client: object = {}): Promise<AgentEvent> {
    const id = String(++this.ids);
    this.send({ do: 'call', id, procedure, input, client });
    return this.next(id, 'answer');
  }

  send(command: object): void {
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** Removes and returns the next such event of that id. */
  async next(id: string, event: AgentEvent['event']): Promise<AgentEvent> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const at = this.events.findIndex((each) => each.id === id && each.event === event);
      const [found] = at < 0 ? [] : this.events.splice(at, 1);
      if (found) return found;
      const ended = this.events.find((each) => each.id === id && each.event === 'ended');
      if (ended) throw new Error(`"${event}" never came: ${JSON.stringify(ended)}`);
      const isOver = this.child.exitCode !== null || this.child.signalCode !== null;
      if (isOver || performance.now() > until) {
        throw new Error(`"${event}" of ${id} never came. ${this.complaint}`);
      }
      await this.anything(until);
    }
  }

  has(id: string, event: AgentEvent['event']): boolean {
    return this.events.some((each) => each.id === id && each.event === event);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.child.kill(name);
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'close');
  }

  private anything(until: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, until - performance.now()));
      this.waiting.add(done);
    });
  }
}

/** One lock that an agent acquires, and the work under it. */
export class AgentWork {
  constructor(
    private readonly agent: ClientAgent,
    readonly id: string,
  ) {}

  begun = () => this.agent.next(this.id, 'begun');
  aborted = () => this.agent.next(this.id, 'aborted');
  /** An operator's remark. */
  remark = () => this.agent.next(this.id, 'remark');
  hasBegun = () => this.agent.has(this.id, 'begun');
  ended = () => this.agent.next(this.id, 'ended');

  /** Completes the work; returns how the whole call ended. */
  finish(): Promise<AgentEvent> {
    this.agent.send({ do: 'finish', id: this.id });
    return this.ended();
  }

  fail(): Promise<AgentEvent> {
    this.agent.send({ do: 'fail', id: this.id });
    return this.ended();
  }

  giveUp(): Promise<AgentEvent> {
    this.agent.send({ do: 'giveUp', id: this.id });
    return this.ended();
  }

  /** Checks the hold, as work does before each step; `stepped` if the work continued. */
  step(): void {
    this.agent.send({ do: 'step', id: this.id });
  }

  stepped = () => this.agent.next(this.id, 'stepped');
  refused = () => this.agent.next(this.id, 'refused');
  hasStepped = () => this.agent.has(this.id, 'stepped');

  /** How much of the lease is certainly left, and the clock just before that was read. */
  async remaining(): Promise<{ ms: number; at: number }> {
    this.agent.send({ do: 'remaining', id: this.id });
    const { ms, at } = await this.agent.next(this.id, 'remaining');
    return { ms: ms as number, at: at as number };
  }

  /** Acquires a lock within the work; returns its token, or its error. */
  nested(name: string, options: Record<string, unknown> = {}): Promise<AgentEvent> {
    this.agent.send({ do: 'nested', id: this.id, name, options });
    return this.agent.next(this.id, 'nested');
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LockyardClient } from '@/client/lockyard';
import { freePort } from '@/scripts/system/free-port.mjs';
import { ApiHarness } from '@/test/api-harness';
import { type AgentProgram, ClientAgent } from './client-agent';
import { FaultProxy } from './fault-proxy';
import type { Language } from './languages';

/** The parts of a scenario: a server behind a proxy, an agent, and a name of its own. */
export class ScenarioBench {
  /** The name of the lock, or the prefix of the names of several. */
  name = '';
  private readonly agents: ClientAgent[] = [];
  private names = 0;
  private shared: ClientAgent | null = null;

  /** An address at which nothing listens. */
  readonly nowhere: string;

  private constructor(
    public api: ApiHarness,
    readonly proxy: FaultProxy,
    /** A client of another service than the agent's, which does not use the proxy. */
    public other: LockyardClient,
    readonly key: string,
    readonly folder: string,
    private readonly program: AgentProgram,
    port: number,
  ) {
    this.nowhere = `http://127.0.0.1:${port}`;
  }

  static async open(language: Language): Promise<ScenarioBench> {
    const folder = await mkdtemp(join(tmpdir(), 'lockyard-client-'));
    const program = await language.prepare(folder);
    const api = await ApiHarness.start({ LOCKYARD_DATA_DIR: join(folder, 'data') });
    const proxy = await FaultProxy.start(api.url);
    const key = await api.key('agent');
    const other = new LockyardClient({ url: api.url, apiKey: await api.key('other') });
    return new ScenarioBench(api, proxy, other, key, folder, program, await freePort());
  }

  /** Before each scenario. */
  begin(): void {
    this.name = `scenario "${++this.names}" \\ ü €`;
    this.proxy.reset();
  }

  /** One agent for all scenarios that leave it intact. */
  get agent(): ClientAgent {
    this.shared ??= this.newAgent();
    return this.shared;
  }

  newAgent(variables: Record<string, string> = {}): ClientAgent {
    const agent = ClientAgent.start(this.program, {
      LOCKYARD_URL: this.proxy.url,
      LOCKYARD_API_KEY: this.key,
      ...variables,
    });
    this.agents.push(agent);
    return agent;
  }

  inspect = (name = this.name) => this.other.inspect({ name });
  state = async () => (await this.inspect()).state;
  /** When the lease of the first holder ends; 0 without one. */
  leaseEnd = async () => (await this.inspect()).holders[0]?.expiresAt ?? 0;
  waiters = async () => (await this.inspect()).waiters.length;

  /** Acquires the lock for another service; the returned function releases it. */
  async occupy(name = this.name): Promise<() => Promise<unknown>> {
    const answer = await this.other.acquire({ name, leaseMs: 60_000 });
    if (answer.outcome !== 'granted') throw new Error(`"${name}" is ${answer.outcome}.`);
    return () => this.other.release({ name, token: answer.token });
  }

  /** Ends the server and starts another one on its data, at another port behind the same proxy. */
  async restart(): Promise<void> {
    await this.api.close();
    this.api = await ApiHarness.start({ LOCKYARD_DATA_DIR: join(this.folder, 'data') });
    this.proxy.lead(this.api.url);
    const { apiKey } = this.other.settings;
    this.other = new LockyardClient({ url: this.api.url, apiKey });
  }

  async close(): Promise<void> {
    for (const agent of this.agents) await agent.close();
    await this.proxy.close();
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** What a client in any language must do; each scenario has a new lock. */
export type Scenarios = Record<string, (bench: ScenarioBench) => Promise<void>>;

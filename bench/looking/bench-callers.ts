import { Agent, request } from 'node:http';
import { HOUR_MS } from '@/server/core/time-units';
import type { ServerUnderLoad } from './server-under-load';

interface Answer {
  outcome: string;
  token?: number;
}

const CONNECTIONS = 16;
const CALLS_AT_ONCE = 20;
const LEASE_MS = 12 * HOUR_MS;

/** A lock that a case uses, held by this process. */
export interface BenchHold {
  name: string;
  owner: string;
  token: number;
}

/** Acquires many locks and keeps them busy, as services do. */
export class BenchCallers {
  readonly holds: BenchHold[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(private readonly server: Pick<ServerUnderLoad, 'port' | 'apiKey'>) {}

  /** Acquires locks until it holds `locks` of them. */
  async take(locks: number): Promise<void> {
    let next = this.holds.length;
    const worker = async () => {
      while (next < locks) {
        const from = next;
        next = Math.min(locks, next + CALLS_AT_ONCE);
        const asks = Array.from({ length: next - from }, (_, i) => askFor(from + i));
        const answers = await this.calls('lock.acquire', asks);
        for (const [i, { token, outcome }] of answers.entries()) {
          const { name, owner } = asks[i] as (typeof asks)[number];
          if (token === undefined)
            throw new Error(`A lock of the bench was not granted: ${outcome}`);
          this.holds.push({ name, owner, token });
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  }

  /**
   * Makes this many events a second, spread evenly over the locks: each step releases one and
   * acquires it again. The returned function ends this.
   *
   * @param onTurn called with each lock and its new token as it is answered
   */
  stir(
    eventsPerSecond: number,
    onTurn: (hold: BenchHold) => void = () => undefined,
  ): () => Promise<number> {
    const everyMs = 50;
    const turnsAtOnce = Math.max(1, Math.round((eventsPerSecond / 2 / 1_000) * everyMs));
    const open = new Set<Promise<void>>();
    let events = 0;
    const turn = async () => {
      const hold = this.holds[Math.floor(Math.random() * this.holds.length)] as BenchHold;
      const { name, owner, token } = hold;
      await this.calls('lock.release', [{ name, owner, token }]);
      const [answer] = await this.calls('lock.acquire', [{ ...askOf(name, owner) }]);
      events += 2;
      if (answer?.token === undefined) return;
      hold.token = answer.token;
      onTurn(hold);
    };
    const timer = setInterval(() => {
      for (let i = 0; i < turnsAtOnce; i += 1) {
        const done = turn()
          .catch(() => undefined)
          .finally(() => open.delete(done));
        open.add(done);
      }
    }, everyMs);
    return async () => {
      clearInterval(timer);
      await Promise.all(open);
      return events;
    };
  }

  close(): void {
    this.agent.destroy();
  }

  private async calls(procedure: string, inputs: object[]): Promise<Answer[]> {
    const isOne = inputs.length === 1;
    const path = isOne ? procedure : `${inputs.map(() => procedure).join(',')}?batch=1`;
    const body = JSON.stringify(isOne ? inputs[0] : { ...inputs });
    const reply = JSON.parse(await this.post(path, body)) as Reply | Reply[];
    return (Array.isArray(reply) ? reply : [reply]).map(
      ({ result, error }) => result?.data ?? { outcome: error?.data.reason ?? 'nonsense' },
    );
  }

  private post(path: string, body: string): Promise<string> {
    const { port, apiKey } = this.server;
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const options = { agent: this.agent, host: '127.0.0.1', port, method: 'POST', headers };
      const call = request({ ...options, path: `/api/v1/${path}` }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (piece: string) => {
          text += piece;
        });
        res.on('end', () => resolve(text));
        res.on('error', reject);
      });
      call.on('error', reject);
      call.end(body);
    });
  }
}

interface Reply {
  result?: { data: Answer };
  error?: { data: { reason: string } };
}

function askFor(i: number) {
  return askOf(`tenant-${i % 97}/order-${i}`, `orders-7f9c${i % 300}:worker-${i % 40}`);
}

function askOf(name: string, owner: string) {
  const meta = { host: `node-${name.length}.cluster`, pid: '4711', version: '1.2.3' };
  return { name, owner, leaseMs: LEASE_MS, meta };
}

import { Agent, request } from 'node:http';
import { TestClock } from '@/server/platform/testing/test-clock';
import { ApiHarness } from './api-harness';

/** A request as it goes over the wire; nothing of it is repaired. */
export interface WireRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer | string;
}

/**
 * An answer without what differs between any two: its id, its date, the server's address, and its
 * framing.
 */
export interface WireAnswer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

interface Answer extends WireAnswer {
  /** Only the lean door tells the length of its answers to calls beforehand. */
  hasLength: boolean;
}

const OWN_HEADERS = ['x-request-id', 'date', 'content-length', 'transfer-encoding'];

/**
 * Two servers that share a stopped clock, so that the same requests in the same order get identical
 * answers. One of them answers everything through the stock adapter.
 */
export class BothPaths {
  private readonly agent = new Agent({ keepAlive: true });
  /** How many requests the lean door answered itself. */
  taken = 0;

  private constructor(
    private readonly fastPath: ApiHarness,
    private readonly stock: ApiHarness,
    private readonly keys: { lean: string; stock: string },
  ) {}

  static async start(service: string): Promise<BothPaths> {
    const clock = new TestClock();
    const lean = await ApiHarness.start({}, { clock });
    const stock = await ApiHarness.start({}, { clock, lean: false });
    const keys = { lean: await lean.key(service), stock: await stock.key(service) };
    return new BothPaths(lean, stock, keys);
  }

  /**
   * Sends a request to both. `KEY` in its headers is replaced by the API key that the server knows.
   */
  async ask(wire: WireRequest): Promise<{ lean: WireAnswer; stock: WireAnswer }> {
    const { hasLength, ...lean } = await this.send(this.fastPath.url, wire, this.keys.lean);
    const { hasLength: _, ...stock } = await this.send(this.stock.url, wire, this.keys.stock);
    if (hasLength) this.taken += 1;
    return { lean, stock };
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.fastPath.close();
    await this.stock.close();
  }

  private send(url: string, { method, path, headers, body }: WireRequest, key: string) {
    const { hostname, port } = new URL(url);
    const told = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
      name,
      typeof value === 'string' ? value.replace('KEY', key) : value,
    ]);
    return new Promise<Answer>((resolve, reject) => {
      const options = { agent: this.agent, hostname, port, method, path };
      const call = request({ ...options, headers: Object.fromEntries(told) }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (part) => {
          text += part;
        });
        res.on('end', () => {
          const id = String(res.headers['x-request-id']);
          const kept = Object.entries(res.headers).filter(([name]) => !OWN_HEADERS.includes(name));
          resolve({
            status: res.statusCode ?? 0,
            headers: Object.fromEntries(kept),
            body: text.replaceAll(id, 'ID').replaceAll(`${hostname}:${port}`, 'HOST'),
            hasLength: res.headers['content-length'] !== undefined && 'vary' in res.headers,
          });
        });
      });
      call.on('error', reject);
      call.end(body);
    });
  }
}

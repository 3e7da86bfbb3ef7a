import { Agent, request } from 'node:http';
import type { CallableProcedure } from '@/server/api/rpc/service/service-procedures';
import { TestClock } from '@/server/platform/testing/test-clock';
import { ApiHarness } from './api-harness';

/** A request as it goes over the wire, without corrections. */
export interface WireRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer | string;
}

/**
 * An answer without the parts that always differ: its id, its date, the server's address, and its
 * framing.
 */
export interface WireAnswer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

interface Answer extends WireAnswer {
  /** Only the fast path sends `Content-Length` with its answers to calls. */
  hasLength: boolean;
}

const OWN_HEADERS = ['x-request-id', 'date', 'content-length', 'transfer-encoding'];

/**
 * Two servers that share a stopped clock, so that the same requests in the same order get identical
 * answers. One of them answers everything through the tRPC handler.
 */
export class BothPaths {
  private readonly agent = new Agent({ keepAlive: true });
  /** How many requests the fast path answered itself. */
  taken = 0;

  private constructor(
    private readonly fastPath: ApiHarness,
    private readonly stock: ApiHarness,
    private readonly keys: { fast: string; stock: string },
  ) {}

  /** @param procedures of the service API */
  static async start(
    service: string,
    procedures?: readonly CallableProcedure[],
  ): Promise<BothPaths> {
    const clock = new TestClock();
    const api = { clock, ...(procedures && { procedures }) };
    const fast = await ApiHarness.start({}, api);
    const stock = await ApiHarness.start({}, { ...api, fastPath: false });
    const keys = { fast: await fast.key(service), stock: await stock.key(service) };
    return new BothPaths(fast, stock, keys);
  }

  /**
   * Sends a request to both. `KEY` in its headers is replaced by the API key that the server knows.
   */
  async ask(wire: WireRequest): Promise<{ fast: WireAnswer; stock: WireAnswer }> {
    const { hasLength, ...fast } = await this.send(this.fastPath.url, wire, this.keys.fast);
    const { hasLength: _, ...stock } = await this.send(this.stock.url, wire, this.keys.stock);
    if (hasLength) this.taken += 1;
    return { fast, stock };
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.fastPath.close();
    await this.stock.close();
  }

  private send(url: string, { method, path, headers, body }: WireRequest, key: string) {
    const { hostname, port } = new URL(url);
    const sent = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
      name,
      typeof value === 'string' ? value.replace('KEY', key) : value,
    ]);
    return new Promise<Answer>((resolve, reject) => {
      const options = { agent: this.agent, hostname, port, method, path };
      const call = request({ ...options, headers: Object.fromEntries(sent) }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (part) => {
          text += part;
        });
        res.on('end', () => {
          const id = String(res.headers['x-request-id']);
          const shown = Object.entries(res.headers).filter(([name]) => !OWN_HEADERS.includes(name));
          resolve({
            status: res.statusCode ?? 0,
            headers: Object.fromEntries(shown),
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

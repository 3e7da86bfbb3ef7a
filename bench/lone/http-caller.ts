import { Agent, request } from 'node:http';
import { openLockyardServer } from '../http-servers';
import { NAMESPACE, type WholeLockyard } from '../processes/whole-lockyard';

const LEASE_MS = 30_000;

/** A caller of the same engine, over one connection that stays open. */
export interface HttpCaller {
  /** Resolves with the token. Rejects if the answer is not a grant. */
  acquire(name: string, owner: string): Promise<number>;
  release(name: string, owner: string, token: number): Promise<void>;
  close(): Promise<void>;
}

export async function openHttpCaller({ runtime, key }: WholeLockyard): Promise<HttpCaller> {
  const server = await openLockyardServer(runtime, { fastPath: true });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = async (procedure: string, input: object): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ namespace: NAMESPACE, ...input });
    const answer = await post(agent, server.port, `/api/v1/${procedure}`, key, body);
    return (JSON.parse(answer) as { result: { data: Record<string, unknown> } }).result.data;
  };
  return {
    async acquire(name, owner) {
      const { outcome, token } = await call('lock.acquire', { name, owner, leaseMs: LEASE_MS });
      if (outcome !== 'granted') throw new Error(`The bench got no lock: ${outcome}`);
      return Number(token);
    },
    async release(name, owner, token) {
      const { outcome } = await call('lock.release', { name, owner, token });
      if (outcome !== 'released') throw new Error(`The bench lost a lock: ${outcome}`);
    },
    async close() {
      agent.destroy();
      await server.close();
    },
  };
}

function post(
  agent: Agent,
  port: number,
  path: string,
  key: string,
  body: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`A server said: ${text}`));
      });
    });
    sent.end(body);
  });
}

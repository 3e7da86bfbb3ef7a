import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { until } from './test-clock';

/** One call as it reached the server, waiting for the test to answer it. */
export class ScriptedCall {
  isHungUp = false;

  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    readonly procedure: string,
    readonly input: Record<string, unknown>,
  ) {
    response.on('close', () => {
      this.isHungUp ||= !response.writableEnded;
    });
  }

  answer(data: object): void {
    this.reply(200, JSON.stringify({ result: { data } }));
  }

  refuse(status: number, reason: string, facts: object = {}): void {
    const error = { message: `refused: ${reason}`, data: { reason, ...facts } };
    this.reply(status, JSON.stringify({ error }));
  }

  reply(status: number, text: string): void {
    this.response.writeHead(status, { 'x-request-id': 'req-1' }).end(text);
  }

  /** The reply is lost: the connection breaks after the request was read. */
  loseReply(): void {
    this.request.socket.destroy();
  }
}

/** A real HTTP server that answers each call as the test says. */
export class ScriptedServer {
  /** How many liveness probes it has received. */
  looks = 0;
  /** Whether it leaves even probes unanswered. */
  isSilent = false;
  private readonly calls: ScriptedCall[] = [];
  private readonly http = createServer((request, response) => {
    void this.take(request, response);
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  /** The next call that was not taken yet. */
  async next(procedure: string): Promise<ScriptedCall> {
    await until(() => this.calls.length > 0);
    const call = this.calls.shift();
    if (call?.procedure !== procedure) {
      throw new Error(`expected ${procedure}, got ${call?.procedure}`);
    }
    return call;
  }

  get waitingCalls(): number {
    return this.calls.length;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://local');
    if (url.pathname === '/api/health/live') {
      this.looks++;
      if (!this.isSilent) response.end('{}');
      return;
    }
    const body = await textOf(request).catch(() => null);
    // Its caller hung up before all of it had arrived.
    if (body === null) return;
    const input = url.searchParams.get('input') ?? body;
    const procedure = url.pathname.replace('/api/v1/', '');
    this.calls.push(new ScriptedCall(request, response, procedure, JSON.parse(input)));
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

/** A message as it was received. */
export interface ReceivedMessage {
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it expects
  body: any;
}

/** A real HTTP server that answers messages as a test tells it to. */
export class ReceiverUnderTest {
  readonly received: ReceivedMessage[] = [];
  /** By default it accepts everything. */
  answer: (res: ServerResponse) => void = (res) => void res.writeHead(200).end('ok');

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ReceiverUnderTest> {
    const server = createServer();
    const receiver = new ReceiverUnderTest(server);
    server.on('request', (req, res) => void receiver.take(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get last(): ReceivedMessage | undefined {
    return this.received.at(-1);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = await textOf(req).catch(() => null);
    // Its sender hung up before all of it had arrived.
    if (text === null) return;
    const body = text === '' ? null : JSON.parse(text);
    this.received.push({ path: req.url ?? '', headers: req.headers, text, body });
    this.answer(res);
  }
}

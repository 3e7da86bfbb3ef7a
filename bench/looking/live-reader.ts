import { type ClientRequest, get } from 'node:http';
import type { LockListMessage } from '@/server/contract/console/lock-list-message';
import type { ServerUnderLoad } from './server-under-load';

/** A live lock list over a separate connection, as a browser opens it. */
export class LiveReader {
  messages = 0;
  bytes = 0;
  /** The server said that live lists are slowed. */
  sawSlowed = false;
  private text = '';
  private readonly call: ClientRequest;

  /**
   * @param onMessage called with each message; without it, messages are only counted, not parsed
   */
  constructor(
    { port }: Pick<ServerUnderLoad, 'port'>,
    cookie: string,
    input: object,
    private readonly onMessage: ((message: LockListMessage) => void) | null = null,
  ) {
    const query = encodeURIComponent(JSON.stringify(input));
    const path = `/api/trpc/locks.watch?input=${query}`;
    this.call = get({ host: '127.0.0.1', port, path, headers: { Cookie: cookie }, agent: false });
    this.call.on('error', () => undefined);
    this.call.on('response', (res) => {
      if (res.statusCode !== 200) throw new Error(`A stream was answered ${res.statusCode}.`);
      res.setEncoding('utf8');
      res.on('data', (piece: string) => this.read(piece));
      res.on('error', () => undefined);
    });
  }

  close(): void {
    this.call.destroy();
  }

  private read(piece: string): void {
    this.bytes += piece.length;
    this.text += piece;
    for (let end = this.text.indexOf('\n\n'); end >= 0; end = this.text.indexOf('\n\n')) {
      this.take(this.text.slice(0, end));
      this.text = this.text.slice(end).replace(/^\n+/, '');
    }
  }

  private take(block: string): void {
    const data = /^data: ?(.*)$/m.exec(block)?.[1];
    if (/^event:/m.test(block) || !data) return;
    this.messages += 1;
    this.sawSlowed ||= data.includes('"slowed":true');
    if (this.onMessage) this.onMessage(JSON.parse(data) as LockListMessage);
  }
}

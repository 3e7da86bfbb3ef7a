import { type ClientRequest, request } from 'node:http';
import { BenchCallers } from './bench-callers';
import type { LookingCase } from './looking-case';
import type { ServerUnderLoad } from './server-under-load';

const EVENTS_PER_SECOND = 500;
const WATCHES = 1_000;
const LOCKS = 1_000;

/** Opening more connections at once than a server can accept would make other callers wait. */
const OPENED_AT_ONCE = 50;

/** Cases about services that watch locks: one lock for all of them, or one for each. */
export const watchCases: LookingCase[] = [
  watching('1,000 watches of all locks', () => ({ prefix: 'tenant-' })),
  watching('1,000 watches of 20 locks each', (i, names) => ({
    names: Array.from({ length: 20 }, (_, k) => names[(i * 20 + k) % names.length]),
  })),
];

function watching(name: string, inputOf: (i: number, names: string[]) => object): LookingCase {
  let callers: BenchCallers;
  return {
    name: `${name}, as event streams, ${EVENTS_PER_SECOND} events/s on ${LOCKS} locks`,
    async prepare(server) {
      callers = new BenchCallers(server);
      await callers.take(LOCKS);
    },
    async load(server) {
      const names = callers.holds.map((hold) => hold.name);
      const streams: WatchStream[] = [];
      while (streams.length < WATCHES) {
        const next = Array.from(
          { length: OPENED_AT_ONCE },
          (_, i) => new WatchStream(server, inputOf(streams.length + i, names)),
        );
        await Promise.all(next.map(({ begun }) => begun));
        streams.push(...next);
      }
      const stop = callers.stir(EVENTS_PER_SECOND);
      const begunAt = performance.now();
      return async () => {
        const events = await stop();
        const seconds = (performance.now() - begunAt) / 1_000;
        const messages = streams.reduce((sum, stream) => sum + stream.messages, 0);
        const bytes = streams.reduce((sum, stream) => sum + stream.bytes, 0);
        for (const stream of streams) stream.close();
        return (
          `${Math.round(events / seconds)} events/s, ` +
          `${(messages / WATCHES / seconds).toFixed(1)} messages/s for each watch, ` +
          `${Math.round(bytes / seconds / 1_000)} KB/s in all`
        );
      };
    },
  };
}

/** One watch as an event stream over a separate connection. */
class WatchStream {
  messages = 0;
  bytes = 0;
  /** Resolves with the first message. */
  readonly begun: Promise<unknown>;
  private readonly call: ClientRequest;

  constructor({ port, apiKey }: Pick<ServerUnderLoad, 'port' | 'apiKey'>, input: object) {
    const body = JSON.stringify(input);
    const headers = {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const path = '/api/v1/lock.watch';
    this.call = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
    this.call.on('error', () => undefined);
    this.begun = new Promise((resolve) =>
      this.call.once('response', (res) => res.once('data', resolve)),
    );
    this.call.on('response', (res) => {
      if (res.statusCode !== 200) throw new Error(`A watch was answered ${res.statusCode}.`);
      res.on('data', (piece: Buffer) => {
        this.bytes += piece.length;
        for (let at = piece.indexOf('\nid: '); at >= 0; at = piece.indexOf('\nid: ', at + 1)) {
          this.messages += 1;
        }
        if (piece.indexOf('id: ') === 0) this.messages += 1;
      });
      res.on('error', () => undefined);
    });
    this.call.end(body);
  }

  close(): void {
    this.call.destroy();
  }
}

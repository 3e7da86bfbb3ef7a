import { LockyardError } from '../errors';
import { type ClientClock, pause } from '../platform/client-clock';
import { onAbort } from '../platform/on-abort';

const FIRST_PROBE_MS = 1_000;
const PROBE_EVERY_MS = 4_000;
const RESPOND_WITHIN_MS = 2_000;

/**
 * Detects a server that has gone silent, as when its machine loses power: then nothing ends its
 * open requests. One probe for all of them, from time to time, checks whether it is alive.
 */
export class SilenceWatch {
  private readonly servers = new Map<string, WatchedServer>();

  constructor(
    private readonly fetch: typeof globalThis.fetch,
    private readonly clock: ClientClock,
  ) {}

  /**
   * Runs a request to `address`. Its signal aborts with that of the caller; or with `UNKNOWN`, once
   * the server breaks or refuses connections, or does not respond to anything for 2 s.
   */
  async during<A>(
    address: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<A>,
  ): Promise<A> {
    const server = this.servers.get(address) ?? new WatchedServer(address, this.fetch, this.clock);
    this.servers.set(address, server);
    const open = new AbortController();
    const giveUp = () => open.abort(signal?.reason);
    if (signal?.aborted) giveUp();
    const stopListening = onAbort(signal, giveUp);
    server.add(open);
    try {
      return await request(open.signal);
    } finally {
      server.remove(open);
      stopListening();
    }
  }
}

class WatchedServer {
  private readonly open = new Set<AbortController>();
  private isWatched = false;
  private stop = new AbortController();

  constructor(
    private readonly address: string,
    private readonly fetch: typeof globalThis.fetch,
    private readonly clock: ClientClock,
  ) {}

  add(request: AbortController): void {
    this.open.add(request);
    if (!this.isWatched) void this.watch();
  }

  remove(request: AbortController): void {
    this.open.delete(request);
    if (this.open.size === 0) this.stop.abort();
  }

  private async watch(): Promise<void> {
    this.isWatched = true;
    let delayMs = FIRST_PROBE_MS;
    while (this.open.size > 0) {
      this.stop = new AbortController();
      try {
        await pause(this.clock, delayMs, this.stop.signal);
        if (await this.isSilent(this.stop.signal)) this.hangUp();
        delayMs = PROBE_EVERY_MS;
      } catch {
        // Stopped: for a moment no request was open.
        delayMs = FIRST_PROBE_MS;
      }
    }
    this.isWatched = false;
  }

  /** Any response counts. A request alone may hang even if connections break immediately. */
  private async isSilent(stop: AbortSignal): Promise<boolean> {
    const probe = new AbortController();
    const end = () => probe.abort();
    // After a blocked event loop the timer fires first: a response that has arrived must count.
    const stopTimer = this.clock.after(RESPOND_WITHIN_MS, () => setImmediate(end));
    stop.addEventListener('abort', end, { once: true });
    try {
      const url = `${this.address}/api/health/live`;
      const reply = await this.fetch(url, { redirect: 'manual', signal: probe.signal });
      await reply.body?.cancel();
      return false;
    } catch {
      stop.throwIfAborted();
      return true;
    } finally {
      stopTimer();
      stop.removeEventListener('abort', end);
    }
  }

  private hangUp(): void {
    for (const request of this.open) {
      request.abort(new LockyardError('UNKNOWN', 'The server does not respond any more.'));
    }
  }
}

import { connect } from 'node:net';
import type { ClientClock } from '../platform/client-clock';

/** Where Node and the package `undici` keep the dispatcher of `fetch`; Node 26 uses the second. */
const DISPATCHERS = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

/** The classes of those that use no proxy. The second only passes on what older versions send. */
const DIRECT = /^_?(Agent|Dispatcher1Wrapper)$/;

/** Whether requests go directly to the host of their address, and not through a proxy. */
export function isSentDirectly(): boolean {
  const shared = globalThis as Record<symbol, object | undefined>;
  return DISPATCHERS.every((key) => DIRECT.test(shared[key]?.constructor.name ?? 'Agent'));
}

/**
 * Whether a TCP connection to the host of `url` can be made within `withinMs`. Never rejects; the
 * connection is closed immediately. `fetch` does not report whether its request was sent.
 */
export function canConnect(url: string, withinMs: number, clock: ClientClock): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
    const finish = (isConnected: boolean) => {
      stopTimer();
      socket.destroy();
      resolve(isConnected);
    };
    // After a blocked event loop the timer fires first: a connection made meanwhile must count.
    const stopTimer = clock.after(withinMs, () => setImmediate(() => finish(false)));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

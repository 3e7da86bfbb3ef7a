import { newSeed, seeded } from '@/server/engine/testing/seeded';
import type { TcpProxy } from '@/test/tcp-proxy';
import type { BadDay } from './server-kind';

/** A private server and the proxy of its connections. */
interface FaultTarget {
  server: { signal(name: NodeJS.Signals): void; start(): Promise<void> };
  proxy: TcpProxy;
}

/** The bad days that are caused in the same way for every server, from outside. */
export const CONNECTION_FAULTS = {
  async stopped({ server }) {
    server.signal('SIGSTOP');
    return async () => {
      server.signal('SIGCONT');
    };
  },
  async 'killed and restarted'({ server }) {
    server.signal('SIGKILL');
    return () => server.start();
  },
  async 'cut between request and reply'({ proxy }) {
    proxy.cutReplies();
    return async () => proxy.open();
  },
  async 'answering garbage'({ proxy }) {
    const seed = newSeed();
    console.info(`noise of seed ${seed}`);
    proxy.garble(seeded(seed));
    return async () => proxy.open();
  },
} satisfies Partial<Record<BadDay, (target: FaultTarget) => Promise<() => Promise<void>>>>;

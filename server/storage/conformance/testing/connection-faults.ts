import { newSeed, seeded } from '@/server/engine/testing/seeded';
import type { TcpProxy } from '@/test/tcp-proxy';
import type { BadDay } from './server-kind';

/** A server of a test's own and the line to it. */
interface Means {
  server: { signal(name: NodeJS.Signals): void; start(): Promise<void> };
  proxy: TcpProxy;
}

/** The bad days that every server has alike: those that come from outside. */
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
} satisfies Partial<Record<BadDay, (means: Means) => Promise<() => Promise<void>>>>;

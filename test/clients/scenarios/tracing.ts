import { expect } from 'vitest';
import type { Scenarios } from '../scenario-bench';

const TRACES = [
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
] as const;

/** For the clients that create no spans of their own and receive those of their callers. */
export const TRACING: Scenarios = {
  'the trace of a hold reaches the same service, as a holder and after a wait for it': async (
    bench,
  ) => {
    const { agent, name } = bench;
    const [one, two] = TRACES;
    const first = agent.lock(name, { traceparent: one });
    expect((await first.begun()).waitedForTraceparent || null).toBeNull();
    const refused = await agent.lock(name, { waitMs: 0 }).ended();
    expect(refused).toMatchObject({ error: 'LockTimeout', holders: [{ traceparent: one }] });
    const [seenByOther] = (await bench.inspect()).holders;
    expect(seenByOther?.service).toBe('agent');
    expect(seenByOther?.traceparent).toBeUndefined();
    const second = agent.lock(name, { traceparent: two });
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    await first.finish();
    expect(await second.begun()).toMatchObject({ waitedForTraceparent: one });
    const { answer } = await agent.call('inspect', { name });
    expect(answer).toMatchObject({ holders: [{ traceparent: two }] });
    expect(await second.finish()).toMatchObject({ result: 'result' });
  },

  'what is no trace is not sent, and the lock is granted': async (bench) => {
    for (const traceparent of ['', 'x\r\ny: z', `${TRACES[0]} `]) {
      const work = bench.agent.lock(bench.name, { traceparent });
      await work.begun();
      const { answer } = await bench.agent.call('inspect', { name: bench.name });
      expect((answer as { holders: object[] }).holders[0]).not.toHaveProperty('traceparent');
      await work.finish();
    }
  },
};

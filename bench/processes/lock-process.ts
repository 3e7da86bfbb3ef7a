import { handOffsMs } from '../long-queue';
import { timedLoop } from './timed-loop';
import { openWholeLockyard, type WholeLockyard, type WholePlace } from './whole-lockyard';

/** A command from another process, which receives one report for each. */
export type ProcessOrder =
  | ({ do: 'open' } & WholePlace)
  | { do: 'cycles'; callers: number; names: number; forMs: number }
  /** The numbers of queues and of waiters in each; each queue is served until it is empty. */
  | { do: 'hand-offs'; waiters: number; queues: number }
  | { do: 'close' };

export interface ProcessFigures {
  /** Cycles of acquire and release, or waiters served. */
  count: number;
  perSecond: number;
  /** What they cost this process until their history was written. */
  cpuMs: number;
}

export type ProcessReport = { figures: ProcessFigures | null } | { error: string };

let lockyard: WholeLockyard | null = null;

/** Lockyard in a separate process, together with its callers. */
process.on('message', (order: ProcessOrder) => {
  carryOut(order).then(
    (figures) => process.send?.({ figures } satisfies ProcessReport),
    (error: unknown) => process.send?.({ error: String(error) } satisfies ProcessReport),
  );
});
process.once('disconnect', () => process.exit());

async function carryOut(order: ProcessOrder): Promise<ProcessFigures | null> {
  if (order.do === 'open') {
    lockyard = await openWholeLockyard(order);
    return null;
  }
  if (!lockyard) throw new Error('Nothing is open.');
  if (order.do === 'close') {
    await lockyard.close();
    return null;
  }
  const before = process.cpuUsage();
  const done =
    order.do === 'cycles' ? await cycles(lockyard, order) : await handOffs(lockyard, order);
  await lockyard.recorded();
  const { user, system } = process.cpuUsage(before);
  return { ...done, cpuMs: (user + system) / 1_000 };
}

async function cycles(
  lock: WholeLockyard,
  { callers, names, forMs }: { callers: number; names: number; forMs: number },
) {
  const nextLock = () => `lock-${Math.floor(Math.random() * names)}`;
  const { cycles: count, perSecond } = await timedLoop(lock, { callers, nextLock }, forMs);
  return { count, perSecond };
}

async function handOffs(
  lock: WholeLockyard,
  { waiters, queues }: { waiters: number; queues: number },
) {
  let tookMs = 0;
  for (let i = 0; i < queues; i += 1) tookMs += await handOffsMs(lock, waiters);
  const count = waiters * queues;
  return { count, perSecond: (count / tookMs) * 1_000 };
}

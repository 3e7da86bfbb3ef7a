import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProcessFigures, ProcessOrder, ProcessReport } from './lock-process';

/** Several processes of Lockyard over one database. */
export interface LockProcesses {
  /** Runs `callers` callers in each process at the same time. Returns their sums. */
  cycles(order: { callers: number[]; names: number; forMs: number }): Promise<ProcessFigures>;
  /** Runs on the first of them. */
  handOffs(order: { waiters: number; queues: number }): Promise<ProcessFigures>;
  close(): Promise<void>;
}

/** @param databaseUrl an empty database, or one with the tables of Lockyard */
export async function startLockProcesses(
  databaseUrl: string,
  count: number,
): Promise<LockProcesses> {
  const children: ChildProcess[] = [];
  for (let i = 0; i < count; i += 1) {
    const child = fork(fileURLToPath(new URL('lock-process.mjs', import.meta.url)));
    children.push(child);
    await send(child, { do: 'open', databaseUrl, isFirst: i === 0 });
  }
  return {
    async cycles({ callers, names, forMs }) {
      const reports = await Promise.all(
        children.map((child, i) =>
          figuresOf(child, { do: 'cycles', callers: callers[i] ?? 0, names, forMs }),
        ),
      );
      return reports.reduce((sum, each) => ({
        count: sum.count + each.count,
        perSecond: sum.perSecond + each.perSecond,
        cpuMs: sum.cpuMs + each.cpuMs,
      }));
    },
    handOffs(order) {
      const [first] = children;
      if (!first) throw new RangeError('There is no process.');
      return figuresOf(first, { do: 'hand-offs', ...order });
    },
    async close() {
      for (const child of children) {
        await send(child, { do: 'close' });
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      }
    },
  };
}

function send(child: ChildProcess, order: ProcessOrder): Promise<ProcessFigures | null> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('A process of the bench has ended.'));
    child.once('exit', end);
    child.once('message', (report: ProcessReport) => {
      child.off('exit', end);
      if ('figures' in report) resolve(report.figures);
      else reject(new Error(report.error));
    });
    child.send(order);
  });
}

async function figuresOf(child: ChildProcess, order: ProcessOrder): Promise<ProcessFigures> {
  const figures = await send(child, order);
  if (!figures) throw new Error(`There are no figures for "${order.do}".`);
  return figures;
}

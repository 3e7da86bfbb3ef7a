import { parentPort, workerData } from 'node:worker_threads';
import { raceEntries } from '../entries/race-entries';
import { EntryServers } from './entry-servers';
import type { PausedOrder, PausedReport } from './paused-buyer';
import { Stock, stockPrefix } from './stock';

/** The program of the paused buyer's thread: one order, with a long stop in the middle. */
async function sellOne(order: PausedOrder): Promise<string> {
  const { entryId, place, prefix, leaseMs, patience, pauseMs } = order;
  const servers = new EntryServers(place);
  try {
    const stock = new Stock(servers.sql(), stockPrefix(place, prefix));
    const note = () => undefined;
    const contender = await raceEntries[entryId]?.open({
      servers,
      stock,
      prefix,
      leaseMs,
      ...patience,
      note,
    });
    if (!contender) return 'unknown';
    let hasPaused = false;
    const think = async () => {
      if (hasPaused) return;
      hasPaused = true;
      report({ kind: 'paused' });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    };
    try {
      return await contender.confirm(think);
    } finally {
      await contender.close?.();
    }
  } finally {
    await servers.close();
  }
}

const report = (message: PausedReport) => parentPort?.postMessage(message);

sellOne(workerData as PausedOrder).then(
  (outcome) => report({ kind: 'ended', outcome }),
  (error: Error) => report({ kind: 'ended', outcome: error.message }),
);

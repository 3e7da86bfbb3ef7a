import { catalogue } from '@/server/strategies/catalogue';
import type { LabProgress } from '../../contract/console/lab/lab-race';
import type { Clock } from '../../platform/clock';
import type { LabOrder, LabServers } from '../lab-order';
import { askMysql, askRedis, askZookeeper } from '../preflight/ask-servers';
import type { Asked } from '../preflight/server-facts';
import { RunScratch } from '../scratch/run-scratch';
import type { RunPlace } from './entry-servers';
import { failureOf } from './race-failure';
import { raceOne } from './race-one';

/** Each session lock holds one; more would leave too few for other users of the server. */
const CONNECTIONS_MAX = 40;

export interface RaceParts {
  /** The built program of the paused buyer's thread. */
  pausedProgram: URL;
  clock: Clock;
  stopping: AbortSignal;
  report(message: LabProgress): void;
}

type Finished = Extract<LabProgress, { kind: 'finished' }>;

/**
 * Runs a whole race, one entry after the other, and removes its scratch data. If a server dies, it
 * ends with the results so far. Never rejects; the last message is `finished`.
 */
export async function runRace(order: LabOrder, parts: RaceParts): Promise<void> {
  const { report, clock } = parts;
  let scratch: RunScratch;
  try {
    scratch = await RunScratch.open(order, clock);
  } catch (error) {
    const message = `The scratch data could not be created: ${failureOf(error)}`;
    report({ kind: 'finished', endedBy: 'failed', message });
    return;
  }
  const last = await raceAll(order, scratch.folder, parts);
  const isClean = await scratch.remove();
  const message = [last.message, isClean ? null : LEFT].filter((part) => part != null).join(' ');
  report({ ...last, ...(message !== '' && { message }) });
}

const LEFT = 'Scratch data that could not be removed is removed when the next race starts.';

async function raceAll(order: LabOrder, folder: string, parts: RaceParts): Promise<Finished> {
  const { report, clock, stopping, pausedProgram } = parts;
  const { runId, servers, workers } = order;
  const place: RunPlace = {
    runId,
    servers,
    folder,
    connections: Math.min(workers, CONNECTIONS_MAX),
  };
  for (const entry of catalogue) {
    if (!order.strategies.includes(entry.id)) continue;
    if (stopping.aborted) break;
    report({ kind: 'entry-started', id: entry.id, at: clock.now() });
    const row = await raceOne(entry, { order, place, pausedProgram, report, stopping });
    report({ kind: 'entry-finished', row });
    if (row.verdict !== 'incomplete' || stopping.aborted) continue;
    const message = await silentServer(servers);
    if (message !== null) return { kind: 'finished', endedBy: 'failed', message };
  }
  return { kind: 'finished', endedBy: stopping.aborted ? 'stopped' : 'done' };
}

/** Which server no longer answers, as sentences; null: all do. */
async function silentServer({ mysql, redis = [], zookeeper }: LabServers): Promise<string | null> {
  const asked: [string, Promise<Asked<unknown>>][] = [];
  if (mysql) asked.push(['MySQL', askMysql(mysql, false)]);
  for (const url of redis) asked.push(['Redis', askRedis(url)]);
  if (zookeeper) asked.push(['ZooKeeper', askZookeeper(zookeeper)]);
  for (const [name, answer] of asked) {
    const found = await answer;
    if (!found.answers) {
      return (
        `${name} at ${found.address} stopped answering during the race: ${found.why}. ` +
        'The results so far are kept.'
      );
    }
  }
  return null;
}

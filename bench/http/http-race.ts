import { startHttpLoader } from '../http-loader';
import { raceEndToEnd, raceHandlers } from '../race-handlers';
import type { HttpRace } from './run-http-race';

process.once('disconnect', () => process.exit(1));

/**
 * Runs one race over HTTP, in a process that runs nothing else. The callers are in another process.
 */
const order = JSON.parse(process.argv[2] ?? '') as HttpRace;
const loader = startHttpLoader();
await (order.name === 'handlers'
  ? raceHandlers(loader, order)
  : raceEndToEnd(loader, order, order));
loader.stop();
process.exit();

import type { CatalogueEntry } from '@/server/strategies/catalogue';
import type { LabRow } from '../../contract/console/lab/lab-race';
import { raceEntries } from '../entries/race-entries';
import { servedBy } from '../served-needs';
import { EntryServers, type RunPlace } from './entry-servers';
import { evaluateRow } from './evaluate-row';
import type { EntryParts } from './race-entry';
import { failureOf } from './race-failure';
import { type EndOfSelling, type RaceContext, Selling } from './selling';
import { Stock, stockPrefix } from './stock';
import { Tally } from './tally';
import { answerWithin, within } from './within';

/** With 50 buyers who poll, there is an attempt every 0.4 ms. */
const PATIENCE = { waitMs: 5_000, pollEveryMs: 20 };
/** How long connections may take to close. */
const CLOSE_MS = 2_000;
/** How long the final count may take: a frozen server never answers. */
const COUNT_MS = 10_000;
/** How long an entry may prepare before its buyers begin, on fresh connections. */
const READY_MS = 30_000;

const NOT_READY = `Its servers were not ready within ${READY_MS / 1_000} s.`;
const NOT_COUNTED = 'What is left could not be read in time.';

/**
 * Races one entry on fresh stock until it is sold out, the time limit is reached, the race is
 * stopped, or a buyer gets an error that is not part of the strategy.
 */
export async function raceOne(entry: CatalogueEntry, context: RaceContext): Promise<LabRow> {
  const { order, place } = context;
  const prefix = `e${order.strategies.indexOf(entry.id)}_`;
  const tally = new Tally();
  const startedAt = performance.now();
  const { end, left } = await sell(entry, context, prefix, tally);
  const seconds = (performance.now() - startedAt) / 1_000;
  const counting = answerWithin(COUNT_MS, count(place, prefix), NOT_COUNTED);
  const counted = await counting.catch(() => null);
  // If the table cannot be read, the answers that the buyers received are the best that is known.
  const sold = counted?.sold ?? tally.sold;
  const { kind, id, number, title } = entry;
  const evaluation = evaluateRow({
    ...end,
    kind,
    sold,
    stock: order.stock,
    left: left === undefined ? (counted?.left ?? null) : left,
  });
  return {
    id,
    number,
    title,
    servers: servedBy(entry.needs, place.servers) ?? '',
    sold,
    stock: order.stock,
    opsPerSecond: Math.round(tally.answered / (end.sellingMs / 1_000 || seconds)),
    p50Ms: tally.percentileMs(50),
    p99Ms: tally.percentileMs(99),
    conflicts: tally.conflicts,
    deadlocks: tally.deadlocks,
    retries: tally.retries,
    durationMs: Math.round(seconds * 1_000),
    ...evaluation,
  };
}

/**
 * Prepares the stock and the strategy, sells, and closes what was opened.
 *
 * @returns `left`: how much is left according to the strategy; null if that could not be read,
 *   undefined if the stock row says it
 */
async function sell(
  entry: CatalogueEntry,
  context: RaceContext,
  prefix: string,
  tally: Tally,
): Promise<{ end: EndOfSelling; left: number | null | undefined }> {
  const { order, place } = context;
  const servers = new EntryServers(place);
  const end: EndOfSelling = {
    failure: null,
    ranOutOfTime: false,
    limitMs: order.perEntryMs,
    paused: null,
    sellingMs: 0,
  };
  let left: number | null | undefined;
  try {
    const raceEntry = raceEntries[entry.id];
    if (!raceEntry) throw new Error('The Lab does not know how to race it.');
    const stock = new Stock(servers.sql(), stockPrefix(place, prefix));
    const { leaseMs } = order;
    const { note } = tally;
    const parts: EntryParts = { servers, stock, prefix, leaseMs, ...PATIENCE, note };
    const ready = async () => {
      await stock.create(order.stock);
      await raceEntry.prepare?.(parts);
      const opened = await raceEntry.open(parts);
      await servers.warmUp();
      return opened;
    };
    const contender = await answerWithin(READY_MS, ready(), NOT_READY);
    try {
      const selling = new Selling({ entry, raceEntry, contender, parts, tally, context });
      Object.assign(end, await selling.run());
      if (contender.left) {
        left = null;
        left = await answerWithin(COUNT_MS, contender.left(), NOT_COUNTED);
      }
    } finally {
      await within(CLOSE_MS, contender.close?.());
    }
  } catch (error) {
    end.failure ??= failureOf(error);
  } finally {
    await within(CLOSE_MS, servers.close());
  }
  return { end, left };
}

/** Counts over a connection of its own, since those of the race are closed. */
async function count(place: RunPlace, prefix: string): Promise<{ sold: number; left: number }> {
  const servers = new EntryServers(place);
  try {
    const stock = new Stock(servers.sql(), stockPrefix(place, prefix));
    return { sold: await stock.sold(), left: await stock.quantity() };
  } finally {
    await servers.close();
  }
}

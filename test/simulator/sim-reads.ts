import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';

/** The share of reads that list all locks. */
const LIST_SHARE = 0.25;
const LIST_SHARE_OF_WATCHED = 0.6;

/** So many of the last holds of a lock are checked. */
const CHECKED_TOKENS = 3;

/**
 * Reads a lock, checks one of its last tokens, as a resource that guards its writes does, or lists
 * all locks.
 */
export async function readLock(
  client: SimClient,
  key: RecordKey,
  random: () => number,
): Promise<void> {
  const { world, checks } = client;
  const listShare = world.watchRandom ? LIST_SHARE_OF_WATCHED : LIST_SHARE;
  if (random() < listShare) return listLocks(client);
  const startedAt = world.database.instant();
  const read = { key, startedAt, startedOn: checks.referee.now(key) };
  const tokens = checks.referee.tokensOf(key).slice(-CHECKED_TOKENS);
  const token = tokens[Math.floor(random() * tokens.length)];
  if (token === undefined || random() < 0.5) {
    await client.call(
      (engine) => engine.run(key, { verb: 'inspect' }),
      (heard) => checks.inspected(read, heard),
    );
  } else {
    await client.call(
      (engine) => engine.run(key, { verb: 'check', token }),
      (heard) => checks.checked(read, token, heard),
    );
  }
}

/** A list is answered by what its process has read, not by its engine. */
async function listLocks(client: SimClient): Promise<void> {
  const { world, checks } = client;
  let startedAt = 0;
  await client.call(
    async (engine) => {
      startedAt = world.database.instant();
      const reading = world.processes.find((one) => one.engine === engine)?.reading;
      const answer = (await reading?.list()) ?? null;
      // Until its next command or heartbeat notices a loss, it shows what was before.
      const isBefore = reading && world.lossyStore?.hasNoticed(reading.epochOf()) === false;
      return isBefore ? null : answer && (world.flaws.list?.(answer) ?? answer);
    },
    (heard) => checks.listed(startedAt, heard),
  );
}

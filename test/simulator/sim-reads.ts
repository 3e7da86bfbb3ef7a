import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';

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
  if (world.watchRandom && random() < 0.6) return listLocks(client);
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
      const process = world.processes.find((one) => one.engine === engine);
      const answer = (await process?.reading?.list()) ?? null;
      return answer && (world.flaws.list?.(answer) ?? answer);
    },
    (heard) => checks.listed(startedAt, heard),
  );
}

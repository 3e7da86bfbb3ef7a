import type { ShardOf } from '../../core/rendezvous-hash';
import { bytes, CLOCK, quote } from '../mysql/mysql-statements';
import type { ShardMapStamp } from './shard-map-stamp';

/** Answers moved per batch. */
const AT_ONCE = 500;

const COLUMNS = 'id, input_hash, answer, expires_at, lock_id';

interface Answer {
  id: string;
  lockId: string | null;
  /** As the values of an insert. */
  values: string;
}

/**
 * Moves the answers remembered for request ids to the shards that now have their records. An answer
 * of an earlier version does not name its record, so every shard gets it. May be interrupted and
 * repeated.
 */
export async function moveAnswers(shards: ShardMapStamp[], homeOf: ShardOf): Promise<void> {
  for (const from of shards) {
    for (let after = ''; ; ) {
      const answers = await answersOf(from, after);
      for (const [home, to] of shards.entries()) {
        const theirs = answers.filter(({ lockId }) => lockId === null || homeOf(lockId) === home);
        if (to === from || theirs.length === 0) continue;
        await to.ask([
          `INSERT INTO lock_requests (${COLUMNS}) VALUES ${theirs.map(({ values }) => values)} ON DUPLICATE KEY UPDATE input_hash = VALUES(input_hash), answer = VALUES(answer), expires_at = VALUES(expires_at), lock_id = VALUES(lock_id)`,
        ]);
        const gone = theirs.filter(({ lockId }) => lockId !== null).map(({ id }) => quote(id));
        if (gone.length > 0) {
          await from.ask([`DELETE FROM lock_requests WHERE id IN (${gone})`]);
        }
      }
      const last = answers.at(-1);
      if (!last || answers.length < AT_ONCE) break;
      after = last.id;
    }
  }
}

async function answersOf(from: ShardMapStamp, after: string): Promise<Answer[]> {
  const [rows = []] = await from.ask([
    `SELECT ${COLUMNS} FROM lock_requests WHERE id > ${quote(after)} AND expires_at > ${CLOCK} ORDER BY id LIMIT ${AT_ONCE}`,
  ]);
  return rows.map(([id, hash, answer, expiresAt, lock]) => {
    const lockId = lock === null ? null : (lock as Buffer).toString('utf8');
    const place = lockId === null ? 'NULL' : bytes(lockId);
    const texts = [id, hash, answer].map((text) => quote(String(text)));
    return { id: String(id), lockId, values: `(${texts},${Number(expiresAt)},${place})` };
  });
}

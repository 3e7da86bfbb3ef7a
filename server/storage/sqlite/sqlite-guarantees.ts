import { bestEffort, type Finding, fine, rateGuarantees } from '../guarantees/rate-guarantees';
import type { Guarantees } from '../record-store';
import { FUSE, type SqliteFacts } from './sqlite-facts';

const STRONG =
  'One process has the file open, and flushes every commit to disk before it answers: a crash at ' +
  'any instant forgets no grant.';

const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/** File systems on another machine, or on several at once, by Linux's magic number. */
const SHARED: Record<number, string> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB 2',
  16914839: '9P',
  1397113167: 'AFS',
  12805120: 'Ceph',
  198183888: 'Lustre',
  18225520: 'GFS2',
  1952539503: 'OCFS2',
  1196443219: 'GPFS',
};

const IN_MEMORY: Record<number, string> = { 16914836: 'tmpfs', 2240043254: 'ramfs' };

/**
 * What an SQLite file can promise at this place. Pure. Unsafe: other machines can reach it, or it
 * is no longer where another server would look for it.
 */
export function sqliteGuarantees(facts: SqliteFacts): Guarantees {
  const { journalMode, synchronous, pageSize, version, fileSystem, isInPlace } = facts;
  return rateGuarantees(
    [
      journal(journalMode),
      flush(journalMode, synchronous),
      place(fileSystem),
      ...(isInPlace === false ? [misplaced] : []),
      fine('page_size', String(pageSize)),
      fine('version', version),
    ],
    STRONG,
  );
}

const misplaced: Finding = {
  name: 'path',
  value: 'leads to another file, or to none',
  complaint: 'The file was moved, removed or replaced.',
  unsafe:
    'The file was moved, removed or replaced while this server has it open: another server may ' +
    'grant the same locks, and what this one writes may be lost. Restart it.',
};

function journal(mode: string): Finding {
  const isSafe = /^(wal|delete|truncate|persist)$/i.test(mode);
  if (isSafe) return fine('journal_mode', mode);
  const why = 'The file has no journal on disk: a crash may damage it.';
  return bestEffort('journal_mode', mode, 'Must be WAL.', why);
}

/** SQLite must leave only the flush of the write-ahead log after a commit to Lockyard. */
function flush(journalMode: string, synchronous: number): Finding {
  const value = SYNCHRONOUS[synchronous] ?? String(synchronous);
  if (synchronous >= 2) return fine('synchronous', value);
  if (synchronous === 1 && /^wal$/i.test(journalMode)) {
    return fine('synchronous', `${value}, and Lockyard flushes the log before it answers`);
  }
  const why = 'Commits are not flushed one by one: a power cut may forget the newest grants.';
  return bestEffort(
    'synchronous',
    value,
    'Must be NORMAL with WAL, or FULL: a power cut forgets.',
    why,
  );
}

function place(magic: number | null): Finding {
  const name = 'file system';
  if (magic === null) return fine(name, 'not reported');
  const shared = SHARED[magic];
  if (shared) {
    const why =
      `The file is on ${shared}: another machine may have it open too, and locks on it ` +
      'cannot be relied on.';
    return { name, value: shared, complaint: 'Must be a local disk.', unsafe: why };
  }
  const memory = IN_MEMORY[magic];
  if (memory) {
    const why = 'The file is in memory: it is lost when the machine restarts.';
    return bestEffort(name, memory, 'Must be a disk.', why);
  }
  if (magic === FUSE) {
    const why =
      'The file is on FUSE: whether a flush there reaches a disk, and who else has the file ' +
      'open, is not known.';
    return bestEffort(name, 'FUSE', 'Should be a local disk.', why);
  }
  return fine(name, `local (0x${magic.toString(16)})`);
}

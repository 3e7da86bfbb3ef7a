import { type LockRecord, unwrittenRecord } from '@/server/core/lock/lock-record';
import { decodeRecord, encodeRecord } from '@/server/storage/codec/record-codec';
import { recordId } from '@/server/storage/record-id';
import type {
  HistorySource,
  ReadRecord,
  RecordKey,
  RecordStore,
  StoredRecord,
} from '@/server/storage/record-store';
import type { Flaws } from './sim-world';

type Store = RecordStore & HistorySource;

/**
 * Builds that are broken in how they delete names, or in how they refuse new ones. Only a world
 * with more names than there is room for can reveal it.
 */
export const CROWDED_BUILDS: Record<string, Flaws> = {
  'a deletion of frozen locks': misread((record) => ({ ...record, frozen: null })),
  'a deletion of locks whose holder has not yet learned that it lost them': misread((record) => ({
    ...record,
    holds: [],
    ended: record.ended && { ...record.ended, cause: 'released' },
  })),
  'a deletion of stored answers': misread((record) => ({
    ...record,
    answersUntil: 0,
    departed: [],
  })),
  'a deletion of locks whose tokens run ahead of the clock': misread((record) => ({
    ...record,
    rev: 1,
    lastToken: 0,
  })),
  'a deletion of locks that were used just now': misread((record, now) => ({
    ...record,
    ended: record.ended && { ...record.ended, at: Math.min(record.ended.at, now - 3_600_000) },
  })),
  'a deletion that does not check what it deletes': { database: { deletesWhatChanged: true } },
  'a deletion that never happens': {
    deletions: (honest) => withOverrides(honest, { deleteRecords: async () => [] }),
  },
  'tokens that start again after a deletion': {
    locks: (decide) => (record, command, context) => {
      const again = { ...unwrittenRecord(context.now), lastToken: 2 ** 41 };
      const isNew = record === null && command.verb === 'acquire';
      return decide(isNew && !context.policy.fullBecause ? again : record, command, context);
    },
  },
  'a limit of names that refuses existing names': {
    locks: (decide) => (record, command, context) =>
      decide(
        context.policy.fullBecause && command.verb === 'acquire' ? null : record,
        command,
        context,
      ),
  },
  'a limit of names that is not enforced': {
    locks: (decide) => (record, command, context) => {
      const policy = { ...context.policy, fullBecause: null };
      return decide(record, command, { ...context, policy });
    },
  },
};

/** A build in which maintenance and operators decide on a falsified copy of each lock. */
function misread(change: (record: LockRecord, now: number) => LockRecord): Flaws {
  return {
    deletions: (honest) => {
      const revs = new Map<string, number>();
      const changed = (read: ReadRecord): ReadRecord => {
        const { key, record, now } = read;
        if (!record || key.kind || key.namespace !== 'default') return read;
        revs.set(versionId(key, record), record.rev);
        return { ...read, record: rewritten(record, (lock) => change(lock, now)) };
      };
      return withOverrides(honest, {
        async read(...asked) {
          const { records, storedAnswers } = await honest.read(...asked);
          return { records: records.map(changed), storedAnswers };
        },
        async scan(...asked) {
          const page = await honest.scan(...asked);
          return { ...page, records: page.records.map(changed) };
        },
        deleteRecords: (obsolete) =>
          honest.deleteRecords(
            obsolete.map((one) => ({ ...one, rev: revs.get(versionId(one.key, one)) ?? one.rev })),
          ),
      });
    },
  };
}

const versionId = (key: RecordKey, { writer }: { writer: string }) => `${recordId(key)} ${writer}`;

function rewritten(stored: StoredRecord, change: (record: LockRecord) => LockRecord): StoredRecord {
  const record = change(decodeRecord(stored).record);
  const { head, queue } = encodeRecord(record, null);
  return { rev: record.rev, writer: stored.writer, head, queue: queue ?? '' };
}

function withOverrides(honest: Store, parts: Partial<Store>): Store {
  const bound: Store = Object.create(honest);
  return Object.assign(bound, parts);
}

import type { Shard } from '@/db/urls/shard-list';
import { StartError } from '@/server/platform/start-error';
import { heartbeatKey } from '../../engine/membership';
import type { BackendPast } from '../../storage/incarnation/backend-past';
import { MysqlStore } from '../../storage/mysql/mysql-store';
import type { Guarantees, RecordKey, RecordStore } from '../../storage/record-store';

interface OpenedBackend {
  id: string;
  past: BackendPast;
  store: Pick<RecordStore, 'read' | 'guarantees'>;
}

/** Attempts, since a heartbeat, written twice a second, may come between the two reads of one. */
const READS = 4;

/**
 * Detects two backends of this process that keep their records in the same store under two names,
 * which their URLs do not show. They would be one backend with two histories.
 */
export class DuplicateStores {
  private readonly opened: OpenedBackend[] = [];
  private readonly heartbeatKey: RecordKey;

  /** @param processId that under which every engine of this process writes its heartbeat */
  constructor(processId: string) {
    this.heartbeatKey = heartbeatKey(processId);
  }

  /** Adds a backend. Later ones are compared with it. */
  add(backend: OpenedBackend): void {
    this.opened.push(backend);
  }

  /**
   * Why a backend must not be used beside an earlier one, as a sentence; null if nothing is wrong,
   * or if one of them does not respond.
   */
  async refusalOf(id: string): Promise<string | null> {
    const index = this.opened.findIndex((other) => other.id === id);
    const self = this.opened[index];
    if (!self) return null;
    const duplicate =
      self.past.duplicate ?? (await this.findDuplicate(this.opened.slice(0, index), self.store));
    return duplicate === null ? null : duplicateMessage(id, duplicate);
  }

  /** The earlier backend with the same store; null: none, as far as the stores respond. */
  async duplicateOf(store: OpenedBackend['store']): Promise<string | null> {
    return this.findDuplicate(this.opened, store);
  }

  /** The guarantees of a backend. The later of two backends in one store is unsafe. */
  async guaranteesOf(id: string): Promise<Guarantees> {
    const self = this.opened.find((other) => other.id === id);
    if (!self) throw new Error(`The backend "${id}" was never added.`);
    const read = await self.store.guarantees();
    const unsafe = await this.refusalOf(id);
    return unsafe === null ? read : { ...read, level: 'Best-effort', reasons: [unsafe], unsafe };
  }

  private async findDuplicate(
    others: OpenedBackend[],
    store: OpenedBackend['store'],
  ): Promise<string | null> {
    const found = await Promise.all(
      others.map((other) => this.areSame(store, other.store).catch(() => false)),
    );
    return others.find((_, i) => found[i])?.id ?? null;
  }

  private async areSame(
    store: OpenedBackend['store'],
    other: OpenedBackend['store'],
  ): Promise<boolean> {
    for (let reads = 0; reads < READS; reads += 1) {
      const [here, there] = await Promise.all([this.writerIn(store), this.writerIn(other)]);
      if (here === null || there === null) return false;
      if (here === there) return true;
    }
    return false;
  }

  private async writerIn(store: OpenedBackend['store']): Promise<string | null> {
    const { records } = await store.read([this.heartbeatKey], []);
    return records[0]?.record?.writer ?? null;
  }
}

function duplicateMessage(id: string, other: string): string {
  return (
    `The backends "${id}" and "${other}" are the same store under two names. Remove one of ` +
    'them.'
  );
}

/**
 * Refuses a shard whose database is also that of another backend of this process, under another
 * name. Writes nothing. A shard that is down is not checked; one that was never used cannot be a
 * duplicate.
 *
 * @throws StartError
 */
export async function refuseDuplicateShards(
  backend: string,
  shards: Shard[],
  duplicates: DuplicateStores,
): Promise<void> {
  const found = await Promise.all(
    shards.map(async ({ url }) => {
      const store = new MysqlStore(url);
      try {
        return await duplicates.duplicateOf(store);
      } finally {
        await store.close();
      }
    }),
  );
  for (const [i, duplicate] of found.entries()) {
    if (duplicate === null) continue;
    const other = duplicate === 'default' ? 'the control database' : `the backend "${duplicate}"`;
    throw new StartError(
      `The shard ${shards[i]?.name} of the backend "${backend}" and ${other} are the same ` +
        'store under two names. Remove one of them.',
    );
  }
}

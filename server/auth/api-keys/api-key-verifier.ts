import { and, eq, isNull, lt, or, type SQL } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import { LockyardError } from '../../contract/errors';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import type { ServiceActor } from '../actor';
import { isSameHash } from '../hash-text';
import { LookupCache } from '../lookup-cache';
import { type ApiKeyText, parseApiKey } from './api-key-text';

/** A key that was found within the last hour. */
export interface RecognisedKey {
  keyId: string;
  /** What `verify` would answer now; null where it would have to query for a revocation. */
  actor: ServiceActor | null;
}

/** How long a key that was found is recognised without a query. */
const RECOGNISED_MS = 60 * 60_000;

/** A key's last use is written at most this often. */
const LAST_USED_EVERY_MS = 60_000;

interface FoundKey {
  actor: ServiceActor;
  secretHash: string;
}

/** Finds the service that a request's API key belongs to. */
export class ApiKeyVerifier {
  private readonly recent: LookupCache<FoundKey>;
  private readonly lastUses = new Map<string, number>();
  private readonly writing: Periodic;

  constructor(private readonly from: { database: Database; clock: Clock; log: Log }) {
    this.recent = new LookupCache((id) => this.find(id), from.clock);
    this.writing = new Periodic({
      job: 'write the last uses of API keys',
      everyMs: LAST_USED_EVERY_MS,
      run: () => this.writeLastUses(),
    }).start();
  }

  /**
   * The service behind a key, as sent after `Bearer `. A key revoked by any process is refused
   * within 1 s. A malformed key, such as a mistyped one, is refused without a query.
   *
   * @throws LockyardError `UNAUTHENTICATED` for anything that is not a live key; `BACKEND_DOWN`
   */
  async verify(bearer: string): Promise<ServiceActor> {
    const key = parseApiKey(bearer);
    const found = key && (this.recent.cached(key.id) ?? (await this.lookUp(key.id)));
    const actor = found && this.checkSecret(key, found);
    if (!actor) throw new LockyardError('UNAUTHENTICATED', 'Invalid API key.');
    return actor;
  }

  /** What is known of a key without a query; null for a key that was not found here recently. */
  recognise(bearer: string): RecognisedKey | null {
    const key = parseApiKey(bearer);
    if (!key) return null;
    const sure = this.recent.cached(key.id);
    const found = sure ?? this.recent.lastKnown(key.id, RECOGNISED_MS);
    if (!found || !isSameHash(found.secretHash, key.secretHash)) return null;
    return { keyId: key.id, actor: sure && this.checkSecret(key, sure) };
  }

  /** Whether the key with this id is still live: for long-running calls. As fresh as `verify`. */
  async isLive(keyId: string): Promise<boolean> {
    return (await this.lookUp(keyId)) !== null;
  }

  /** Forgets what is cached about a key, so that this process sees a committed change at once. */
  forget(keyId: string): void {
    this.recent.forget(({ actor }) => actor.keyId === keyId);
  }

  /** Writes the pending last-use times. */
  async close(): Promise<void> {
    await this.writing.stop();
    await this.writeLastUses();
  }

  /** Null if the secret is wrong. */
  private checkSecret(key: ApiKeyText, { actor, secretHash }: FoundKey): ServiceActor | null {
    if (!isSameHash(secretHash, key.secretHash)) return null;
    this.lastUses.set(key.id, this.from.clock.now());
    return actor;
  }

  private async lookUp(id: string): Promise<FoundKey | null> {
    try {
      return await this.recent.get(id);
    } catch (error) {
      throw databaseFailure(error, 'no') ?? error;
    }
  }

  private async find(id: string): Promise<FoundKey | null> {
    const { db, tables } = this.from.database;
    const { apiKeys } = tables;
    const [row] = await db
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
    if (!row) return null;
    const namespaces = JSON.parse(row.namespaces) as string[];
    const actor: ServiceActor = {
      kind: 'service',
      keyId: id,
      service: row.name,
      namespaces,
      ...(row.purpose === 'witness' && { isWitness: true }),
    };
    return { actor, secretHash: row.secretHash };
  }

  private async writeLastUses(): Promise<void> {
    const uses = [...this.lastUses];
    this.lastUses.clear();
    const { db, tables } = this.from.database;
    const { apiKeys } = tables;
    for (const [id, at] of uses) {
      const isNewer = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, at));
      try {
        await db
          .update(apiKeys)
          .set({ lastUsedAt: at })
          .where(and(eq(apiKeys.id, id), isNewer) as SQL);
      } catch (err) {
        this.from.log.warn({ err, key: id }, 'could not write the last use of an API key');
        return;
      }
    }
  }
}

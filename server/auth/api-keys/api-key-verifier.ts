import { eq, isNull, lt, or, sql } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import { LockyardError } from '../../contract/errors';
import { HOUR_MS } from '../../core/time-units';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import type { ServiceActor } from '../actor';
import { isSameHash } from '../hash-text';
import { LookupCache } from '../lookup-cache';
import { type ApiKeyText, parseApiKey } from './api-key-text';
import { isExpiredKey } from './is-expired-key';
import { hasExpired, limitsOf, namespacesOf } from './stored-key';

/** A key that was found in the database within the last hour. */
export interface RecognisedKey {
  keyId: string;
  /** What `verify` would return now; null if it would need a query. */
  actor: ServiceActor | null;
}

/** How long a key that was found is recognised without a query. */
const RECOGNISED_MS = HOUR_MS;

/** A key's last use is written at most this often. */
const LAST_USED_EVERY_MS = 60_000;

interface FoundKey {
  actor: ServiceActor;
  secretHash: string;
  /** Null: it does not expire. */
  expiresAt: number | null;
  revokedAt: number | null;
}

const REVOKED = () =>
  new LockyardError('UNAUTHENTICATED', 'This API key has been revoked.', { detail: 'keyRevoked' });

/** Finds the service that a request's API key belongs to. */
export class ApiKeyVerifier {
  private readonly recent: LookupCache<FoundKey>;
  private readonly lastUses = new Map<string, number>();
  /**
   * The parsed parts of keys whose secret was verified, by the whole text of the key: hashing one
   * takes longer than all other steps. No secret is kept for longer than `LAST_USED_EVERY_MS`.
   */
  private readonly proven = new Map<string, ApiKeyText>();
  private readonly writing: Periodic;

  constructor(private readonly from: { database: Database; clock: Clock; log: Log }) {
    this.recent = new LookupCache((id) => this.find(id), from.clock);
    this.writing = new Periodic({
      job: 'write the last uses of API keys',
      everyMs: LAST_USED_EVERY_MS,
      run: async () => {
        this.proven.clear();
        await this.writeLastUses();
        await this.revokeExpired();
      },
      log: from.log,
    }).start();
  }

  /**
   * The service behind a key, as sent after `Bearer `. A key revoked by any process is refused
   * within 1 s, an expired one immediately. A malformed key, such as a mistyped one, is refused
   * without a query.
   *
   * @throws LockyardError `UNAUTHENTICATED` for anything that is not a live key, with a `detail`
   *   for one that was; `BACKEND_DOWN`
   */
  async verify(bearer: string): Promise<ServiceActor> {
    const actor = await this.check(bearer);
    this.lastUses.set(actor.keyId, this.from.clock.now());
    return actor;
  }

  /** Like `verify`, without counting as a use of the key. */
  async check(bearer: string): Promise<ServiceActor> {
    const key = this.proven.get(bearer) ?? parseApiKey(bearer);
    const found = key && (this.recent.cached(key.id) ?? (await this.lookUp(key.id)));
    if (!found || !this.matchesSecret(bearer, key, found)) {
      throw new LockyardError('UNAUTHENTICATED', 'Invalid API key.');
    }
    const ended = this.refusalOf(found);
    if (ended) throw ended;
    return found.actor;
  }

  /** What is known of a key without a query; null for a key that was not found here recently. */
  recognise(bearer: string): RecognisedKey | null {
    const key = this.proven.get(bearer) ?? parseApiKey(bearer);
    if (!key) return null;
    const fresh = this.recent.cached(key.id);
    const found = fresh ?? this.recent.lastKnown(key.id, RECOGNISED_MS);
    if (!found || !this.matchesSecret(bearer, key, found)) return null;
    if (this.refusalOf(found)) return null;
    if (fresh) this.lastUses.set(key.id, this.from.clock.now());
    return { keyId: key.id, actor: fresh?.actor ?? null };
  }

  /**
   * The service behind the key with this id, with what the key allows now: for long-running calls.
   * As fresh as `verify`.
   *
   * @throws LockyardError `UNAUTHENTICATED` for a key that has ended; `BACKEND_DOWN`
   */
  async presentActor(keyId: string): Promise<ServiceActor> {
    const found = await this.lookUp(keyId);
    const ended = found ? this.refusalOf(found) : REVOKED();
    if (!found || ended) throw ended;
    return found.actor;
  }

  /**
   * Forgets what is cached about a key, so that this process immediately sees a committed change.
   */
  forget(keyId: string): void {
    this.recent.forget(({ actor }) => actor.keyId === keyId);
  }

  /** Writes the pending last-use times, and revokes what has expired. */
  async close(): Promise<void> {
    await this.writing.stop();
    await this.writeLastUses();
    await this.revokeExpired().catch((err: unknown) =>
      this.from.log.warn({ err }, 'could not revoke expired API keys; another process does'),
    );
  }

  /** Whether the secret in a key is that of the row found under its id. */
  private matchesSecret(bearer: string, key: ApiKeyText, found: FoundKey): boolean {
    // Only a caller that knows the secret sends a verified text: timing reveals nothing here.
    if (this.proven.get(bearer) === key) return found.secretHash === key.secretHash;
    if (!isSameHash(found.secretHash, key.secretHash)) return false;
    this.proven.set(bearer, key);
    return true;
  }

  /** Why a key is refused; null for a live key. */
  private refusalOf(found: FoundKey): LockyardError | null {
    if (hasExpired(found, this.from.clock.now())) {
      const message = `This API key expired at ${new Date(found.expiresAt).toISOString()}.`;
      return new LockyardError('UNAUTHENTICATED', message, { detail: 'keyExpired' });
    }
    return found.revokedAt === null ? null : REVOKED();
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
    const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, id));
    if (!row) return null;
    const actor: ServiceActor = {
      kind: 'service',
      keyId: id,
      service: row.name,
      namespaces: namespacesOf(row.namespaces),
      ...(row.limits !== null && { limits: limitsOf(row.limits) }),
      ...(row.purpose === 'witness' && { isWitness: true }),
    };
    const { secretHash, expiresAt, revokedAt } = row;
    return { actor, secretHash, expiresAt, revokedAt };
  }

  /**
   * Stores keys that have expired as revoked at that instant. So a clock that is set back makes no
   * key valid again, and a server of a version without expiry refuses them too.
   */
  private async revokeExpired(): Promise<void> {
    const { database, clock } = this.from;
    const { db, tables } = database;
    const { apiKeys } = tables;
    const isDue = allOf(isNull(apiKeys.revokedAt), isExpiredKey(database, clock.now()));
    await db
      .update(apiKeys)
      .set({ revokedAt: sql`${apiKeys.expiresAt}` })
      .where(isDue);
  }

  /** Those that could not be written are written the next time. */
  private async writeLastUses(): Promise<void> {
    const { db, tables } = this.from.database;
    const { apiKeys } = tables;
    for (const [id, at] of [...this.lastUses]) {
      const isNewer = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, at));
      try {
        await db
          .update(apiKeys)
          .set({ lastUsedAt: at })
          .where(allOf(eq(apiKeys.id, id), isNewer));
      } catch (err) {
        this.from.log.warn({ err, key: id }, 'could not write the last use of an API key');
        return;
      }
      if (this.lastUses.get(id) === at) this.lastUses.delete(id);
    }
  }
}

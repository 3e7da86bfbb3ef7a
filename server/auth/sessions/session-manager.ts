import { randomBytes } from 'node:crypto';
import { and, eq, gt, isNull, lte, ne, type SQL } from 'drizzle-orm';
import { allOf, anyOf, type Database, type Db } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import { browserName } from '../../core/format/browser-name';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { UserActor } from '../actor';
import { hashText } from '../hash-text';
import { LookupCache } from '../lookup-cache';
import { OpenSessions } from './open-sessions';
import { SessionClock } from './session-clock';
import {
  SESSION_IDLE_MAX_MS,
  SESSION_MAX_MS,
  SESSION_REPLACED_MS,
  SESSION_SEEN_EVERY_MS,
  SESSION_STALE_MAX_MS,
} from './session-limits';
import { type SessionWatch, SessionWatcher } from './session-watcher';

const VALUE_BYTES = 32;
const ADDRESS_MAX_CHARS = 64;

export interface NewSession {
  value: string;
  /** The maximum age of the session. */
  maxAgeMs: number;
}

/** The request with which a session begins. */
interface FirstRequest {
  address: string;
  /** Its `User-Agent` header; absent: it had none. */
  userAgent?: string | undefined;
}

interface FoundSession {
  actor: UserActor;
  seenAt: number;
  expiresAt: number;
}

/** Manages sessions. A cookie's value is 256 random bits, and only its hash is stored. */
export class SessionManager {
  private readonly recent: LookupCache<FoundSession>;
  private readonly watcher: SessionWatcher;
  private readonly sessionClock: SessionClock;
  /** The attempt to accept a clock that was set back; null: none is under way. */
  private acceptance: Promise<void> | null = null;
  readonly open: OpenSessions;

  constructor(
    private readonly from: { database: Database; clock: Clock; log: Log; secret: string },
  ) {
    this.recent = new LookupCache((id) => this.find(id), from.clock);
    this.sessionClock = new SessionClock(from.clock);
    this.watcher = new SessionWatcher(from.database, from.clock);
    this.open = new OpenSessions(from, () => this.sessionClock.now());
  }

  /**
   * The user behind a cookie's value; null for no cookie, or an unknown or ended session. A session
   * ended by any process is refused within 1 s. While the database is not responding, a session
   * verified in the last 15 minutes still resolves, marked `stale`; others reject with
   * `BACKEND_DOWN`.
   */
  async resolve(cookieValue: string | null): Promise<UserActor | null> {
    if (!cookieValue || !/^[A-Za-z0-9_-]{43}$/.test(cookieValue)) return null;
    const id = hashText(cookieValue);
    await this.endBeforeClockSetBack();
    const { session, stale } = await this.lookUp(id);
    const now = this.sessionClock.now();
    if (!session) return null;
    if (session.expiresAt <= now || session.seenAt + SESSION_IDLE_MAX_MS <= now) {
      await this.removeEnded(now, id).catch((err: unknown) =>
        this.from.log.warn({ err }, 'could not remove an ended session; retrying later'),
      );
      return null;
    }
    if (!stale && session.seenAt + SESSION_SEEN_EVERY_MS <= now) this.recordSeen(id, session, now);
    return { ...session.actor, stale };
  }

  /** Deletes every ended session, so that none is revived when the machine's clock is set back. */
  async endExpired(): Promise<void> {
    await this.removeEnded(this.sessionClock.now());
    await this.endBeforeClockSetBack();
  }

  /** Begins a session in the caller's transaction. The value goes only into the cookie. */
  async begin(tx: Db, userId: string, request: FirstRequest): Promise<NewSession> {
    const { sessions } = this.from.database.tables;
    const value = randomBytes(VALUE_BYTES).toString('base64url');
    const now = this.sessionClock.now();
    await tx.delete(sessions).where(this.isExpired(userId, now));
    await tx.insert(sessions).values({
      id: hashText(value),
      userId,
      createdAt: now,
      seenAt: now,
      expiresAt: now + SESSION_MAX_MS,
      browser: browserName(request.userAgent),
      address: request.address.slice(0, ADDRESS_MAX_CHARS),
    });
    return { value, maxAgeMs: SESSION_MAX_MS };
  }

  /**
   * Begins a session in place of another one of its user, in the caller's transaction. The old one
   * soon ends: a copy of its cookie is then of no use.
   */
  async replace(
    tx: Db,
    { userId, sessionId }: UserActor,
    request: FirstRequest,
  ): Promise<NewSession> {
    const { sessions } = this.from.database.tables;
    const endsAt = this.sessionClock.now() + SESSION_REPLACED_MS;
    const isLonger = allOf(eq(sessions.id, sessionId), gt(sessions.expiresAt, endsAt));
    await tx.update(sessions).set({ expiresAt: endsAt }).where(isLonger);
    return this.begin(tx, userId, request);
  }

  /** Ends sessions of one user, within a transaction: all, or all but one. Returns how many. */
  async endAll(tx: Db, userId: string, except?: string): Promise<number> {
    const { sessions } = this.from.database.tables;
    const isTheirs = eq(sessions.userId, userId);
    const isEnding = except === undefined ? isTheirs : allOf(isTheirs, ne(sessions.id, except));
    const ended = await tx.delete(sessions).where(isEnding);
    return this.from.database.affectedRows(ended);
  }

  /** Whether a user has this session and no other, as `endAll` would find. */
  async isOnly({ userId, sessionId }: UserActor): Promise<boolean> {
    const { db, tables } = this.from.database;
    const { sessions } = tables;
    const found = await db
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .limit(2);
    return found.length === 1 && found[0]?.id === sessionId;
  }

  /** Ends one session, within a transaction. False: it had ended before. */
  async end(tx: Db, sessionId: string): Promise<boolean> {
    const { sessions } = this.from.database.tables;
    const ended = await tx.delete(sessions).where(eq(sessions.id, sessionId));
    return this.from.database.affectedRows(ended) === 1;
  }

  /**
   * Follows a session. The signal is aborted when the session ends or its user's role changes:
   * within 1 s if another process did that, immediately if this one did.
   */
  watch(actor: UserActor): SessionWatch {
    return this.watcher.watch(actor);
  }

  /**
   * Forgets what is cached about a user, so that this process immediately sees a committed change.
   */
  forget(userId: string): void {
    this.recent.forget(({ actor }) => actor.userId === userId);
    this.watcher.check(userId);
  }

  /**
   * Deletes sessions that ended before the clock was set back; only then accepts the new time.
   * Until then sessions end by the previous time, so no caller waits for a silent database.
   */
  private async endBeforeClockSetBack(): Promise<void> {
    if (!this.sessionClock.isSetBack()) return;
    this.acceptance ??= this.acceptClock().finally(() => {
      this.acceptance = null;
    });
    if (!this.recent.isFailing()) await this.acceptance;
  }

  private async acceptClock(): Promise<void> {
    try {
      await this.removeEnded(this.sessionClock.now());
      this.sessionClock.acceptSetting();
    } catch (err) {
      this.from.log.warn({ err }, 'the clock was set back; sessions still use the previous time');
    }
  }

  /** Deletes the sessions that have ended by `at`, or only the one with this id if it has ended. */
  private async removeEnded(at: number, id?: string): Promise<void> {
    const { sessions } = this.from.database.tables;
    const idleSince = at - SESSION_IDLE_MAX_MS;
    const hasEnded = anyOf(lte(sessions.expiresAt, at), lte(sessions.seenAt, idleSince));
    const isRemoved = id === undefined ? hasEnded : allOf(eq(sessions.id, id), hasEnded);
    await this.from.database.db.delete(sessions).where(isRemoved);
    this.recent.forget(({ expiresAt, seenAt }) => expiresAt <= at || seenAt <= idleSince);
  }

  private async lookUp(id: string): Promise<{ session: FoundSession | null; stale: boolean }> {
    const known = this.recent.whileFailing(id, SESSION_STALE_MAX_MS);
    if (known) return { session: known, stale: true };
    try {
      return { session: await this.recent.get(id), stale: false };
    } catch (error) {
      const failure = databaseFailure(error, 'no');
      const session = this.recent.lastKnown(id, SESSION_STALE_MAX_MS);
      if (failure && session) return { session, stale: true };
      throw failure ?? error;
    }
  }

  private async find(id: string): Promise<FoundSession | null> {
    const { db, tables } = this.from.database;
    const { sessions, users } = tables;
    const [row] = await db
      .select({
        userId: users.id,
        name: users.name,
        role: users.role,
        seenAt: sessions.seenAt,
        expiresAt: sessions.expiresAt,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(eq(sessions.id, id), isNull(users.disabledAt)));
    if (!row) return null;
    const { userId, name, role, seenAt, expiresAt } = row;
    const actor: UserActor = { kind: 'user', userId, name, role, sessionId: id, stale: false };
    return { actor, seenAt, expiresAt };
  }

  /** Runs in the background. If this write is lost, an idle session only ends a minute early. */
  private recordSeen(id: string, session: FoundSession, now: number): void {
    session.seenAt = now;
    const { sessions } = this.from.database.tables;
    const unseen = allOf(eq(sessions.id, id), lte(sessions.seenAt, now));
    this.from.database.db
      .update(sessions)
      .set({ seenAt: now })
      .where(unseen)
      .catch((err: unknown) =>
        this.from.log.warn({ err }, 'could not record the last use of a session'),
      );
  }

  private isExpired(userId: string, now: number): SQL {
    const { sessions } = this.from.database.tables;
    return allOf(eq(sessions.userId, userId), lte(sessions.expiresAt, now));
  }
}

import { and, eq, inArray, isNull, lte } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { LockyardError } from '../../contract/errors';
import type { Clock } from '../../platform/clock';
import { Periodic } from '../../platform/periodic';
import type { UserActor } from '../actor';
import { SESSION_IDLE_MAX_MS, SESSION_SEEN_EVERY_MS, SESSION_STALE_MAX_MS } from './session-limits';

/** A session that is followed, for example while a live stream of its user is open. */
export interface SessionWatch {
  /** Aborted with the `LockyardError` that the stream should end with. */
  readonly signal: AbortSignal;
  /** Stops following. */
  close(): void;
}

/** Together with the query this stays within the promised second. */
const POLL_MS = 500;
const IDS_MAX = 500;

interface Watched {
  actor: UserActor;
  end: AbortController;
}

/**
 * Follows the sessions of live streams. One query every half a second for all of them finds changes
 * made by other processes; `check` finds those of this process immediately.
 */
export class SessionWatcher {
  private readonly watched = new Set<Watched>();
  private readonly polling = new Periodic({
    job: 'check followed sessions',
    everyMs: POLL_MS,
    run: () => this.poll(),
  });
  /** Separate from the poll, which can hang. */
  private readonly staleCheck = new Periodic({
    job: 'end unconfirmed sessions',
    everyMs: POLL_MS,
    run: () => this.checkPoll(),
  });
  private answeredAt = 0;
  /** Null while no poll is in progress. */
  private askedAt: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  watch(actor: UserActor): SessionWatch {
    const watched: Watched = { actor, end: new AbortController() };
    if (this.watched.size === 0) this.start();
    this.watched.add(watched);
    return { signal: watched.end.signal, close: () => this.remove(watched) };
  }

  /** Checks one user's sessions now. */
  check(userId: string): void {
    const theirs = [...this.watched].filter(({ actor }) => actor.userId === userId);
    this.verify(theirs).catch(() => undefined);
  }

  private start(): void {
    this.answeredAt = this.clock.monotonic();
    this.polling.start();
    this.staleCheck.start();
  }

  private remove(watched: Watched): void {
    this.watched.delete(watched);
    if (this.watched.size > 0) return;
    void this.polling.stop();
    void this.staleCheck.stop();
  }

  private async poll(): Promise<void> {
    const askedAt = this.clock.monotonic();
    this.askedAt = askedAt;
    try {
      await this.verify([...this.watched]);
      this.answeredAt = askedAt;
    } catch {
      this.endStale();
    } finally {
      this.askedAt = null;
    }
  }

  private checkPoll(): void {
    const isLate = this.askedAt !== null && this.clock.monotonic() - this.askedAt >= POLL_MS;
    if (isLate) this.endStale();
  }

  /** Ends the sessions that the database has not confirmed for too long. */
  private endStale(): void {
    if (this.clock.monotonic() - this.answeredAt < SESSION_STALE_MAX_MS) return;
    for (const { end } of this.watched) end.abort(uncheckable());
  }

  private async verify(all: Watched[]): Promise<void> {
    for (let from = 0; from < all.length; from += IDS_MAX) {
      const batch = all.slice(from, from + IDS_MAX);
      const rows = await this.read([...new Set(batch.map(({ actor }) => actor.sessionId))]);
      const now = this.clock.now();
      const live = new Map(
        rows
          .filter((row) => row.expiresAt > now && row.seenAt + SESSION_IDLE_MAX_MS > now)
          .map((row) => [row.id, row]),
      );
      for (const { actor, end } of batch) {
        const row = live.get(actor.sessionId);
        if (!row) end.abort(ended());
        else if (row.role !== actor.role) end.abort(otherRole());
      }
      await this.recordSeen([...live.values()], now);
    }
  }

  private read(ids: string[]) {
    const { db, tables } = this.database;
    const { sessions, users } = tables;
    const { id, seenAt, expiresAt } = sessions;
    return db
      .select({ id, seenAt, expiresAt, role: users.role })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(inArray(sessions.id, ids), isNull(users.disabledAt)));
  }

  /** A session with an open page is in use. */
  private async recordSeen(rows: { id: string; seenAt: number }[], now: number): Promise<void> {
    const unseenSince = now - SESSION_SEEN_EVERY_MS;
    const ids = rows.filter(({ seenAt }) => seenAt <= unseenSince).map(({ id }) => id);
    if (ids.length === 0) return;
    const { sessions } = this.database.tables;
    const isUnseen = allOf(inArray(sessions.id, ids), lte(sessions.seenAt, unseenSince));
    await this.database.db.update(sessions).set({ seenAt: now }).where(isUnseen);
  }
}

const ended = () => new LockyardError('UNAUTHENTICATED', 'This session has ended.');

const otherRole = () => new LockyardError('CONFLICT', 'Your role has changed. Connect again.');

const uncheckable = () =>
  new LockyardError('BACKEND_DOWN', 'Your session cannot be verified at the moment.');

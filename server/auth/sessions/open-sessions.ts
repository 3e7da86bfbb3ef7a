import { createHmac } from 'node:crypto';
import { count, desc, eq, gt, type SQL } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { SESSION_IDLE_MAX_MS, SESSION_REPLACED_MS } from './session-limits';

/** A session that has not ended. */
export interface OpenSession {
  /** The stored hash: never sent to a browser. */
  sessionId: string;
  /** What pages call the session: gives no access, and says nothing about the hash. */
  publicId: string;
  startedAt: number;
  /** To the minute; see `SESSION_SEEN_EVERY_MS`. */
  lastUsedAt: number;
  /** What the browser called itself when it signed in; null: unknown. */
  browser: string | null;
  /** From where the user signed in; null: unknown. */
  address: string | null;
}

const PUBLIC_ID_CHARS = 22;
/** Bounds the answer: each session costs a sign-in, and ends after half an hour without use. */
const LISTED_MAX = 200;

/** Reads the sessions that have not ended. */
export class OpenSessions {
  constructor(
    private readonly from: { database: Database; secret: string },
    private readonly now: () => number,
  ) {}

  /** One user's sessions, those used last first. Without those about to end by replacement. */
  async list(userId: string): Promise<OpenSession[]> {
    const { db, tables } = this.from.database;
    const { sessions } = tables;
    const rows = await db
      .select()
      .from(sessions)
      .where(allOf(eq(sessions.userId, userId), this.isOpen()))
      .orderBy(desc(sessions.seenAt), desc(sessions.createdAt), sessions.id)
      .limit(LISTED_MAX);
    return rows.map(({ id, createdAt, seenAt, browser, address }) => ({
      sessionId: id,
      publicId: this.publicIdOf(id),
      startedAt: createdAt,
      lastUsedAt: seenAt,
      browser,
      address,
    }));
  }

  /** How many sessions each user has; users without any are absent. */
  async countByUser(): Promise<Map<string, number>> {
    const { db, tables } = this.from.database;
    const { sessions } = tables;
    const rows = await db
      .select({ userId: sessions.userId, open: count() })
      .from(sessions)
      .where(this.isOpen())
      .groupBy(sessions.userId);
    return new Map(rows.map(({ userId, open }) => [userId, Number(open)]));
  }

  private isOpen(): SQL {
    const { sessions } = this.from.database.tables;
    const now = this.now();
    const endsLater = gt(sessions.expiresAt, now + SESSION_REPLACED_MS);
    return allOf(endsLater, gt(sessions.seenAt, now - SESSION_IDLE_MAX_MS));
  }

  private publicIdOf(sessionId: string): string {
    const hmac = createHmac('sha256', this.from.secret);
    const mark = hmac.update(`lockyard session\0${sessionId}`).digest('base64url');
    return mark.slice(0, PUBLIC_ID_CHARS);
  }
}

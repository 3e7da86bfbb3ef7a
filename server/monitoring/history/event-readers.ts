import type { Database } from '@/db/database';
import type { Clock } from '../../platform/clock';

/** How long events count as being read after the last read. */
const ACTIVE_FOR_MS = 30_000;

/** How often a process that reads events announces it to the others. */
const ANNOUNCE_EVERY_MS = 5_000;

/** The id of the cursor that moves while events are read. */
const CURSOR_ID = 'events-read';

/**
 * Whether any process on the control database reads recorded events. While one does, events are
 * recorded immediately, even at rates at which it would be cheaper to collect them first.
 */
export class EventReaders {
  private readAt = Number.NEGATIVE_INFINITY;
  private announcedAt = Number.NEGATIVE_INFINITY;
  /** The cursor when this process last read or moved it; null: never. */
  private position: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /**
   * Notes that this process reads events. Never fails: at worst, new events can be read up to
   * 10 s later.
   */
  readonly note = (): void => {
    this.readAt = this.clock.monotonic();
    if (this.readAt - this.announcedAt < ANNOUNCE_EVERY_MS) return;
    this.announcedAt = this.readAt;
    this.announce().catch(() => {
      this.announcedAt = Number.NEGATIVE_INFINITY;
    });
  };

  /** Whether events were read in the last 30 s, here or in another process. */
  async areActive(): Promise<boolean> {
    const now = this.clock.monotonic();
    if (now - this.readAt < ACTIVE_FOR_MS) return true;
    const position = await this.read();
    if (this.position !== null && position !== this.position) this.readAt = now;
    this.position = position;
    return this.readAt === now;
  }

  private async announce(): Promise<void> {
    const { kind, raw } = this.database;
    const again = kind === 'mysql' ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (id) DO UPDATE SET';
    const sql = `INSERT INTO cursors (id, position) VALUES (?, 1) ${again} position = position + 1`;
    await raw.ask(sql, [CURSOR_ID]);
    this.position = await this.read();
  }

  private async read(): Promise<number> {
    const sql = 'SELECT position FROM cursors WHERE id = ?';
    const { rows } = await this.database.raw.ask(sql, [CURSOR_ID]);
    return Number(rows[0]?.[0] ?? 0);
  }
}

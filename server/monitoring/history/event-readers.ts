import type { Database } from '@/db/database';
import type { Clock } from '../../platform/clock';

/** How long events count as being read after a read of some. */
const WANTED_FOR_MS = 30_000;

/** How often a process that reads events says so to the others. */
const SAY_EVERY_MS = 5_000;

/** The id of the cursor that moves while events are read. */
const CURSOR_ID = 'events-read';

/**
 * Whether recorded events are read, in any process on the control database: then they are
 * recorded at once, also at a rate at which it is cheaper to collect them first.
 */
export class EventReaders {
  private readAt = Number.NEGATIVE_INFINITY;
  private saidAt = Number.NEGATIVE_INFINITY;
  /** The cursor when it was last looked at or moved here; null: never. */
  private position: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /**
   * Events are read in this process. Never fails: at worst, what was recorded since is read
   * up to 10 s later.
   */
  readonly note = (): void => {
    this.readAt = this.clock.monotonic();
    if (this.readAt - this.saidAt < SAY_EVERY_MS) return;
    this.saidAt = this.readAt;
    this.say().catch(() => {
      this.saidAt = Number.NEGATIVE_INFINITY;
    });
  };

  /** Whether events were read in the last 30 s, here or in another process. */
  async areActive(): Promise<boolean> {
    const now = this.clock.monotonic();
    if (now - this.readAt < WANTED_FOR_MS) return true;
    const position = await this.read();
    if (this.position !== null && position !== this.position) this.readAt = now;
    this.position = position;
    return this.readAt === now;
  }

  private async say(): Promise<void> {
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

import type { GuaranteeRow } from '../../contract/console/guarantee-row';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import { type Guarantees, type RecordStore, StoreError } from '../../storage/record-store';

export interface GuaranteeWatchParts {
  backend: string;
  store: Pick<RecordStore, 'guarantees' | 'settingsRev'>;
  /** Whether it may grant locks although it is configured unsafely. */
  isAllowed: boolean;
  clock: Clock;
  log: Log;
}

/** Together with the reading, less than the minute within which an unsafe change is noticed. */
const READ_EVERY_MS = 50_000;
/** Pause after a failed reading, and before the first: a backend that is back must not wait. */
const RETRY_EVERY_MS = 500;
const CHECK_EVERY_MS = 500;
/** Stores have shorter timeouts of their own. */
const READING_TIMEOUT_MS = 4_000;

const RANK = { 'Best-effort': 0, Timed: 1, Strong: 2 } as const;

/**
 * Periodically reads what one backend can guarantee with its settings, and decides whether it may
 * grant locks: not before its settings were read once, and not while they are unsafe, unless that
 * can be allowed and is. If a reading fails, the last one is kept.
 */
export class GuaranteeWatch {
  private last: { guarantees: Guarantees; at: number; readAt: number } | null = null;
  private lastTriedAt = Number.NEGATIVE_INFINITY;
  private isFailing = false;
  private refused: string | null = null;
  private readRev: number | undefined;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly parts: GuaranteeWatchParts,
    private readonly timeoutMs = READING_TIMEOUT_MS,
  ) {}

  /** Starts periodic reading; the returned function stops it. */
  start(): () => Promise<void> {
    const reading = new Periodic({
      job: 'read the settings of a backend',
      everyMs: CHECK_EVERY_MS,
      run: () => this.readIfDue(),
    }).start();
    return () => reading.stop();
  }

  /** Reads if a reading is due. */
  async readIfDue(): Promise<void> {
    const isSettled = this.last && !this.isFailing;
    const isAsRead = this.parts.store.settingsRev === this.readRev;
    const pauseMs = isSettled && isAsRead ? READ_EVERY_MS : RETRY_EVERY_MS;
    if (this.parts.clock.monotonic() - this.lastTriedAt >= pauseMs) await this.read();
  }

  /** Reads now, or waits for the reading under way. Never rejects: `row` shows the outcome. */
  read(): Promise<void> {
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  /** Why the store refused the last reading, in whole sentences; null: it did not. */
  get refusal(): string | null {
    return this.refused;
  }

  /** Why this backend may grant nothing now, in whole sentences for callers; null: it may. */
  closedBecause(): string | null {
    const { backend, isAllowed } = this.parts;
    const grantsNothing = `The backend "${backend}" grants nothing`;
    if (!this.last) {
      if (isAllowed) return null;
      const why = this.refused === null ? '' : ` ${this.refused}`;
      return `${grantsNothing} until its settings have been read.${why}`;
    }
    const { unsafe, isNeverAllowed } = this.last.guarantees;
    if (unsafe === null || (isAllowed && !isNeverAllowed)) return null;
    const why = `${grantsNothing}, because its configuration is unsafe. ${unsafe}`;
    return isNeverAllowed
      ? `${why} Fix its configuration.`
      : `${why} Fix its configuration, or accept the risk with LOCKYARD_ALLOW_UNSAFE=${backend}.`;
  }

  row(): GuaranteeRow {
    const { backend, isAllowed, clock } = this.parts;
    const { last, isFailing } = this;
    const reading = last && {
      ...last.guarantees,
      at: last.at,
      ageMs: Math.round(clock.monotonic() - last.readAt),
    };
    return { backend, reading, isFailing, isAllowed, closedBecause: this.closedBecause() };
  }

  private async readOnce(): Promise<void> {
    const { store, clock, log, backend } = this.parts;
    this.lastTriedAt = clock.monotonic();
    try {
      this.readRev = store.settingsRev;
      const guarantees = await withTimeout(store.guarantees(), this.timeoutMs);
      this.logChange(guarantees);
      this.last = { guarantees, at: clock.now(), readAt: clock.monotonic() };
      this.isFailing = false;
      this.refused = null;
    } catch (err) {
      this.refused = err instanceof StoreError ? err.refusal : null;
      if (!this.isFailing) log.warn({ err, backend }, 'The settings of a backend cannot be read');
      this.isFailing = true;
    }
  }

  /** Logs what became worse or better; after a first reading, what is less than the best. */
  private logChange({ level, reasons, unsafe, isNeverAllowed }: Guarantees): void {
    const isAllowed = this.parts.isAllowed && !isNeverAllowed;
    const { log, backend } = this.parts;
    const before = this.last?.guarantees ?? null;
    const { level: was, unsafe: wasUnsafe } = before ?? { level: 'Strong' as const, unsafe: null };
    if (was === level && wasUnsafe === unsafe) return;
    const facts = { backend, guarantee: level, before: before?.level, reasons };
    if (unsafe !== null && !isAllowed) {
      log.error(facts, 'A backend is configured unsafely: grants disabled');
    } else if (RANK[level] < RANK[was] || (unsafe !== null && unsafe !== wasUnsafe)) {
      const isExpected = before === null && level === 'Timed';
      const text = before ? 'A backend guarantees less than before' : 'A backend is not Strong';
      if (isExpected) log.info(facts, text);
      else log.warn(facts, text);
    } else log.info(facts, 'A backend guarantees more than before');
  }
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No answer in time.')), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

import type { GateNews, GateReading, StepsUnderWay } from '../../core/counter/counter-gate';

/** What a process sends about one counter, and asks about it. */
export interface GateMessage {
  /** `recordId` of the counter. */
  id: string;
  /** All steps that this process has under way: they replace those that it sent before. */
  underWay: StepsUnderWay;
  /** What MySQL has answered; null: nothing new. */
  news: GateNews | Gone | null;
  /** Whether this process is ready to read the counter from MySQL if that is due. */
  mayRead: boolean;
}

/** MySQL has no such counter; `over` as in `DurableReading`. */
export interface Gone {
  gone: true;
  gateRev: number | null;
}

export interface GateReply extends GateReading {
  /** The caller should read the counter from MySQL: no other process was asked to. */
  readIsDue: boolean;
  /** The news replaced a value or bounds that differed. */
  wasCorrected: boolean;
  /** The clock of the gate when MySQL last confirmed the bounds; 0: no state. */
  asOf: number;
  /**
   * Until this instant of the gate's clock a state at a bound need not be asked for again, unless
   * the gate says that it has changed.
   */
  askAgainAt: number;
}

/** How far a process has seen the changes at its gate. */
export interface GateMark {
  /** When the gate began, on its clock. */
  since: number;
  changes: number;
}

export interface GateExchange {
  /** The gate's clock, epoch milliseconds. */
  now: number;
  /** For how long the gate refuses nothing yet, because it was wiped or restarted; 0: ready. */
  readyInMs: number;
  mark: GateMark;
  /**
   * The ids of all counters that were at a bound and have changed since the given mark, some more
   * than once; null: not known.
   */
  changed: string[] | null;
  /** In the order of the messages. */
  replies: GateReply[];
}

/**
 * What a gate remembers for all processes: for each counter, the newest version that it was sent,
 * and each process's steps under way. It may lose everything at any time. It decides nothing.
 */
export interface GateStore {
  /**
   * Rejects if Redis does not answer; its messages may have arrived or not. They do not arrive
   * after those of a later call.
   *
   * @param seen the mark of an earlier exchange; null: none
   */
  exchange(messages: GateMessage[], seen: GateMark | null): Promise<GateExchange>;
  /** Forgets everything, as if it were wiped. */
  restart(): Promise<void>;
  /** Connects unless connected, however long that takes. */
  connect(): Promise<void>;
  /** Closes the connection: the next exchange opens another. */
  reconnect(): void;
  close(): void;
}

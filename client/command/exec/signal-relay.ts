import { signalExitCode } from '../exit-codes';
import type { CommandChild } from './command-child';

const RELAYED = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const;

/** The terminal sends these to all its foreground processes, the command included. */
const FROM_KEYS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/** This process received a signal to end while it waited for the lock. */
export class EndedBySignal extends Error {
  override readonly name = 'EndedBySignal';

  constructor(readonly signal: NodeJS.Signals) {
    super(`Ended by ${signal}.`);
  }
}

/**
 * Passes this process's signals to its command. Before there is one, they end the wait; once it has
 * ended, the second one ends this process.
 */
export class SignalRelay {
  private child: CommandChild | null = null;
  private isEnding = false;

  /** @param giveUp called with `EndedBySignal` once, while there is no command */
  constructor(private readonly giveUp: (reason: EndedBySignal) => void) {
    for (const signal of RELAYED) process.on(signal, this.relay);
  }

  /**
   * From now on signals go to this command; null: it has ended, and what it left running gets none.
   */
  follow(child: CommandChild | null): void {
    this.child = child;
  }

  close(): void {
    for (const signal of RELAYED) process.off(signal, this.relay);
  }

  private readonly relay = (signal: NodeJS.Signals) => {
    if (this.child) {
      if (this.child.ownGroup || !FROM_KEYS.has(signal)) this.child.signal(signal);
    } else if (this.isEnding) {
      process.exit(signalExitCode(signal));
    } else {
      this.isEnding = true;
      this.giveUp(new EndedBySignal(signal));
    }
  };
}

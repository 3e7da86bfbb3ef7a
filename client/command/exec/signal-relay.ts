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
  private mayRun = () => false;
  private isEnding = false;

  /** @param giveUp called with `EndedBySignal` once, while there is no command */
  constructor(private readonly giveUp: (reason: EndedBySignal) => void) {
    for (const signal of RELAYED) process.on(signal, this.relay);
  }

  /**
   * From now on a stop by SIGTSTP stops the command too, even if it has a process group of its own,
   * which Ctrl-Z on the terminal does not reach. To be called before such a command is started: the
   * listener for a stop during the start runs only after `follow`, so this process never stops
   * alone.
   */
  stopTogether(): void {
    process.on('SIGTSTP', this.stop);
  }

  /**
   * From now on signals go to this command.
   *
   * @param mayRun whether its hold is certain, so that it may go on after it was stopped
   */
  follow(child: CommandChild, mayRun: () => boolean): void {
    this.child = child;
    this.mayRun = mayRun;
  }

  /** The command has ended: what it left running gets no signals. */
  leave(): void {
    this.child = null;
    process.off('SIGTSTP', this.stop);
  }

  close(): void {
    this.leave();
    for (const signal of RELAYED) process.off(signal, this.relay);
  }

  /** Nothing renews the hold while this process is stopped, so the command must not run then. */
  private readonly stop = () => {
    this.child?.pause();
    process.kill(process.pid, 'SIGSTOP');
    // Here it goes on after SIGCONT. A command whose hold may be over stays stopped until it is
    // ended.
    if (this.mayRun()) this.child?.resume();
  };

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

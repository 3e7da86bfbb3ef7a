import { LockyardError } from '../errors';

/**
 * The addresses of one Lockyard, of which one is in use: the first until it fails, then the next,
 * and after the last the first again.
 */
export class ServerAddresses {
  /** Lockyard has answered at one of them. */
  hasAnswered = false;
  private index = 0;

  private constructor(private readonly all: readonly string[]) {}

  /**
   * Reads one URL, or several separated by commas. Throws `INVALID` unless each is an http(s) URL
   * without credentials, query and fragment, and no two are the same. Never quotes what it refuses,
   * since that may be a secret.
   */
  static read(text: string): ServerAddresses {
    const entries = text.split(',').map((entry) => entry.trim());
    const all = entries.map((entry, at) =>
      readUrl(
        entry,
        entries.length === 1 ? "Lockyard's URL" : `Entry ${at + 1} of Lockyard's URLs`,
      ),
    );
    const again = all.findIndex((url, at) => all.indexOf(url) < at);
    if (again < 0) return new ServerAddresses(all);
    throw invalid(`Entry ${again + 1} of Lockyard's URLs repeats an earlier one.`);
  }

  get count(): number {
    return this.all.length;
  }

  /** All of them, the one in use first. Without a slash at the end. */
  inOrder(): string[] {
    return [...this.all.slice(this.index), ...this.all.slice(0, this.index)];
  }

  /** Switches to the next one if `address` is in use: several calls may notice the same failure. */
  leave(address: string): void {
    if (address === this.all[this.index]) this.index = (this.index + 1) % this.all.length;
  }

  /** In the order given, separated by commas, as `LOCKYARD_URL` takes them. */
  toString(): string {
    return this.all.join(',');
  }
}

function readUrl(text: string, subject: string): string {
  if (text === '') throw invalid(`${subject} is empty.`);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw invalid(`${subject} must be an http or https URL, such as http://127.0.0.1:3000.`);
  }
  const { username, password, search, hash } = new URL(text);
  if (username || password) throw invalid(`${subject} must not contain a user or a password.`);
  if (search || hash || /[?#]$/.test(text)) {
    throw invalid(`${subject} must not have a query or a fragment.`);
  }
  return text.replace(/\/+$/, '');
}

const invalid = (message: string) => new LockyardError('INVALID', message);

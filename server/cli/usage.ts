/** The help of the command line. */
export const USAGE = `Usage: npm run -s lockyard -- <command>

  keys create --name SERVICE --namespace NAMESPACE   Create an API key (printed once).
                                                     Repeat --namespace for several.
      [--prefix TEXT] [--verb VERB] [--expires 90d]  Narrower: names, kinds of calls, time.
  keys create --name HOST --witness                  Create a key for lockyard witness only.
  keys change --id ID [--namespace …] [--prefix TEXT | --any-name] [--verb … | --any-verb]
                      [--expires 90d | --no-expiry]  Change what a key may do.
  keys rotate --id ID [--grace 24h]                  Create its successor; the old key expires
                                                     after the grace.
  keys revoke --id ID                                Revoke an API key for good.
  keys generate [--limited]                          Generate a key for apply; nothing is stored.
  users create --name NAME --role ROLE               Add a user: viewer, operator or admin.
  users change --name NAME [--role ROLE] [--disable | --enable]
  users remove --name NAME                           Remove a user; the audit log keeps the name.
  users reset-password --name NAME                   Reset a user's password.
  namespaces create --name NAMESPACE [--backend ID]  Create a namespace on a backend
                                                     (default: "default").
  namespaces change --name NAMESPACE --reason TEXT --set BOUND=VALUE | --default
                                                     Change its policy, such as leaseMaxMs=60000.
  namespaces remove --name NAMESPACE --reason TEXT   Remove an empty namespace.
  alert-rules change --name NAMESPACE --reason TEXT --set RULE=VALUE | --default
  silences create --for 2h --reason TEXT [--namespace NAMESPACE] [--kind KIND] [--name PATTERN]
                                                     Silence alerts of a namespace, a kind or
                                                     names such as job-*: at least one of them.
  silences remove --id ID                            End a silence now.
  keys | users | namespaces | alert-rules | silences | counters | backends list
  keys show --id ID, and users | namespaces | alert-rules show --name NAME

  apply -f FILE [--dry-run] [--prune]                Set up what a file says;
                                                     see docs/provisioning.md.

  backends reshard ID                                Apply a new shard list; see docs/backends.md.
  locks | counters delete --prefix PREFIX [--namespace NAMESPACE] [--count N --reason TEXT]
                                                     Delete free locks or counters, at most N;
                                                     without --count, only preview.
                                                     Or --name NAME, repeatable.
  locks list [--attention] [--state STATE] [--namespace NAMESPACE] [--search TEXT]
                                                     List locks, the most urgent first; with
                                                     --attention only those that need a person.
  locks show --name NAME [--namespace NAMESPACE]     Show the holders and waiters of a lock, with
                                                     the tokens that the next commands need.
  locks request-release --name NAME --token TOKEN --reason TEXT [--namespace NAMESPACE]
                                                     Ask a holder to release a lock.
  locks block-renewals --name NAME --token TOKEN --reason TEXT [--namespace NAMESPACE]
                                                     Let a hold end with its present lease.
  locks extend --name NAME --token TOKEN --by 15m --reason TEXT [--namespace NAMESPACE]
                                                     Extend the lease of a hold.
  locks force-release --name NAME --token TOKEN --reason TEXT [--namespace NAMESPACE]
                                                     End a hold; its process is not stopped.
  locks reassign --name NAME --to OWNER --reason TEXT [--namespace NAMESPACE]
                                                     End the hold and grant the lock to a waiter.
  locks freeze | unfreeze --name NAME --reason TEXT [--namespace NAMESPACE]
                                                     Stop all grants of a lock, or allow them again.
  locks set-capacity --name NAME --capacity N --reason TEXT [--namespace NAMESPACE]
                                                     Change how many permits of a lock can be
                                                     held at the same time.
  counters create --name NAME --initial N --reason TEXT [--floor N] [--ceiling N]
                  [--namespace NAMESPACE]
                                                     Create a counter.
                                                     "counters list" takes --search TEXT.
  counters adjust --name NAME --by N --reason TEXT [--namespace NAMESPACE]
                                                     Add N, such as 5 or --by=-5, to a counter.
  doctor [--url URL] [--json]                        Check an installation and say what to do;
                                                     see docs/doctor.md.
  backup FILE [--force]                              Back up to a file; the server may be running.
  restore FILE [--replace] [--quiet DURATION]        Restore while no server runs;
                                                     see docs/operations.md.
  secret reset                                       Forget the secret while no server runs;
                                                     the next start creates a new one.
  --version                                          Print the release and its schema.

With --json the answer is JSON, and an error too. "create" takes --if-missing for users, keys,
namespaces and counters.
After the words of a command, such as "keys create", --help describes it alone.
A command that changes something and finds no database asks for --create to make one; one that
finds a database of an older version, and no server, asks for --migrate.
Users get a generated password, which is printed; with --password-stdin it is read from standard
input.
Exit codes: 0 done, 1 refused or failed, 2 invalid arguments. "apply --dry-run": 0 no differences,
2 some, 1 failed. "doctor": 0 all passed, 1 warnings, 2 problems.

  exec NAME -- COMMAND   Run a command under a lock. Also: ls, inspect, watch, release, mcp,
                         witness. They call the service at LOCKYARD_URL with LOCKYARD_API_KEY;
                         see docs/exec.md.
`;

/**
 * The help on the command that these arguments begin with, such as `keys create`, else on all
 * commands with its first word, else on all commands.
 */
export function usageOf(args: string[]): string {
  const end = args.findIndex((arg) => arg.startsWith('-') || arg === 'help');
  const words = args.slice(0, end < 0 ? undefined : end);
  const entries = [words.slice(0, 2), words.slice(0, 1)]
    .map(entriesAbout)
    .find(({ length }) => length > 0);
  if (words.length === 0 || !entries) return USAGE;
  const [heading = ''] = USAGE.split('\n');
  return `${heading}\n\n${entries.join('\n')}\n\nFor all commands: npm run -s lockyard -- --help\n`;
}

/** An entry is indented by two spaces, its further lines by more. */
const ENTRIES = USAGE.trimEnd()
  .split(/\n+(?= {2}\S|\S)/)
  .filter((entry) => /^ {2}\S/.test(entry));

/** Two spaces separate the syntax of a command from its description. */
const entriesAbout = (words: string[]) =>
  ENTRIES.filter((entry) => {
    const [syntax = ''] = entry.trim().split(/ {2,}|\n/);
    const terms = syntax.split(/[\s,]+/);
    return words.every((word) => terms.includes(word));
  });

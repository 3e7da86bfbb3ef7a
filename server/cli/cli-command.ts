import { z } from 'zod';
import { reassignInput, setCapacityInput } from '../contract/console/console-inputs';
import { adjustCounterByInput } from '../contract/console/counter-inputs';
import { deletionCommandInput } from '../contract/console/deletion-inputs';
import { ownerName } from '../contract/primitives';
import { applyInput } from './apply/apply-input';
import { command, PROVISIONING_COMMANDS } from './provisioning/provisioning-command';

/** Commands of the command line. They travel over the control socket, which checks them again. */
export const cliCommand = z.discriminatedUnion('verb', [
  ...PROVISIONING_COMMANDS,
  command('apply', applyInput),
  /** `shards` are those of the calling command: a server with another list does nothing. */
  command(
    'backends reshard',
    z.strictObject({ backend: z.string().max(32), shards: z.array(z.string()).max(32) }),
  ),
  command('names delete', deletionCommandInput),
  command(
    'locks set-capacity',
    setCapacityInput.pick({ namespace: true, name: true, capacity: true, reason: true }),
  ),
  command(
    'locks reassign',
    reassignInput.pick({ namespace: true, name: true, reason: true }).extend({ to: ownerName }),
  ),
  command(
    'counters adjust',
    adjustCounterByInput
      .pick({ namespace: true, name: true, reason: true })
      .extend({ by: adjustCounterByInput.shape.delta }),
  ),
  /** What the server finds out about itself and its stores, as JSON: see `finding`. */
  command('doctor', z.strictObject({})),
  /** Announces a backup that the calling command is about to make; answered with an intent. */
  command('backup begin', z.strictObject({ file: z.string() })),
  /** Reports what became of it. Without a `failure`, it was made. */
  command(
    'backup end',
    z.strictObject({ intent: z.string().max(40), failure: z.string().max(500).optional() }),
  ),
]);
export type CliCommand = z.output<typeof cliCommand>;

/** A command that the calling process runs itself. `file` `-`: standard output. */
export type BackupCommand =
  | { verb: 'backup'; file: string; force: boolean }
  | { verb: 'restore'; file: string; replace: boolean; quietMs: number };

/** What only the calling process needs to know of an `apply`. */
export interface ApplyCommand {
  verb: 'apply file';
  file: string;
  dryRun: boolean;
  prune: boolean;
}

/** A key that the calling process makes, for an environment from which `apply` reads it. */
export interface GenerateCommand {
  verb: 'keys generate';
  /** It will have a prefix, verbs or an expiry. */
  limited: boolean;
  json?: true;
}

export const USAGE = `Usage: npm run -s lockyard -- <command>

  keys create --name SERVICE --namespace NAMESPACE   Create an API key (printed once).
                                                     Repeat --namespace for several.
      [--prefix TEXT] [--verb VERB] [--expires 90d]  Narrower: names, kinds of calls, time.
  keys create --name HOST --witness                  Create a key for lockyard witness, and nothing else.
  keys change --id ID [--namespace …] [--prefix TEXT | --any-name] [--verb … | --any-verb]
                      [--expires 90d | --no-expiry]  Change what a key may do.
  keys rotate --id ID [--grace 24h]                  Create its successor; the old one expires after the grace.
  keys revoke --id ID                                Revoke an API key for good.
  keys generate [--limited]                          Make the text of a key, for apply; nothing is stored.
  users create --name NAME --role ROLE               Add a user: viewer, operator or admin.
  users change --name NAME [--role ROLE] [--disable | --enable]
  users remove --name NAME                           Remove a user; the audit log keeps the name.
  users reset-password --name NAME                   Reset a user's password.
  namespaces create --name NAMESPACE [--backend ID]  Create a namespace (default backend: "default").
  namespaces change --name NAMESPACE --reason TEXT --set BOUND=VALUE | --default
                                                     Change its policy, such as leaseMaxMs=60000.
  namespaces remove --name NAMESPACE --reason TEXT   Remove an empty namespace.
  alert-rules change --name NAMESPACE --reason TEXT --set RULE=VALUE | --default
  silences create --for 2h --reason TEXT [--namespace NAMESPACE] [--kind KIND] [--name PATTERN]
  silences remove --id ID                            End a silence now.
  keys | users | namespaces | alert-rules | silences | counters | backends list
  keys show --id ID, and users | namespaces | alert-rules show --name NAME

  apply -f FILE [--dry-run] [--prune]                Set up what a file says; see docs/provisioning.md.

  backends reshard ID                                Apply a new shard list; see docs/backends.md.
  locks delete --prefix PREFIX [--namespace NAMESPACE] [--count N --reason TEXT]
                                                     Delete free locks, at most N; without --count, only preview.
                                                     Or --name NAME, repeatable. Also: counters delete.
  locks set-capacity --name NAME --capacity N --reason TEXT [--namespace NAMESPACE]
                                                     Change how many permits of a lock may be held at once.
  locks reassign --name NAME --to OWNER --reason TEXT [--namespace NAMESPACE]
                                                     End the hold and grant the lock to a waiter.
  counters create --name NAME --initial N --reason TEXT [--floor N] [--ceiling N] [--namespace NAMESPACE]
                                                     Create a counter. "counters list" takes --search TEXT.
  counters adjust --name NAME --by N --reason TEXT [--namespace NAMESPACE]
                                                     Add N, such as 5 or --by=-5, to a counter.
  doctor [--url URL] [--json]                        Check an installation and say what to do; see docs/doctor.md.
  backup FILE [--force]                              Back up to a file; the server may be running.
  restore FILE [--replace] [--quiet DURATION]        Restore (server stopped); see docs/operations.md.
  --version                                          Print the release and its schema.

With --json the answer is JSON, and an error too. "create" takes --if-missing for users, keys,
namespaces and counters.
A command that finds no database asks for --create to make one.
Users get a generated password, which is printed; with --password-stdin it is read from standard input.

  exec NAME -- COMMAND   Run a command under a lock. Also: ls, inspect, watch, release, witness. They
                         call the service at LOCKYARD_URL with LOCKYARD_API_KEY; see docs/exec.md.
`;

import { z } from 'zod';
import { createKeyInput, createNamespaceInput } from '../contract/console/access-inputs';
import {
  password,
  reassignInput,
  role,
  setCapacityInput,
  userName,
} from '../contract/console/console-inputs';
import { adjustCounterByInput } from '../contract/console/counter-inputs';
import { deletionCommandInput } from '../contract/console/deletion-inputs';
import { ownerName } from '../contract/primitives';

/** Commands of the command line. They travel over the control socket, which checks them again. */
export const cliCommand = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('keys create'), input: createKeyInput }),
  z.strictObject({ verb: z.literal('namespaces create'), input: createNamespaceInput }),
  z.strictObject({
    verb: z.literal('users create'),
    /** Without a password, one is generated. */
    input: z.strictObject({ name: userName, role, password: password.optional() }),
  }),
  z.strictObject({
    verb: z.literal('users reset-password'),
    input: z.strictObject({ name: userName, password: password.optional() }),
  }),
  /** `shards` are those of the calling command: a server with another list does nothing. */
  z.strictObject({
    verb: z.literal('backends reshard'),
    input: z.strictObject({ backend: z.string().max(32), shards: z.array(z.string()).max(32) }),
  }),
  z.strictObject({ verb: z.literal('names delete'), input: deletionCommandInput }),
  z.strictObject({
    verb: z.literal('locks set-capacity'),
    input: setCapacityInput.pick({ namespace: true, name: true, capacity: true, reason: true }),
  }),
  z.strictObject({
    verb: z.literal('locks reassign'),
    input: reassignInput
      .pick({ namespace: true, name: true, reason: true })
      .extend({ to: ownerName }),
  }),
  z.strictObject({
    verb: z.literal('counters adjust'),
    input: adjustCounterByInput
      .pick({ namespace: true, name: true, reason: true })
      .extend({ by: adjustCounterByInput.shape.delta }),
  }),
  /** Announces a backup that the calling command is about to make; answered with an intent. */
  z.strictObject({ verb: z.literal('backup begin'), input: z.strictObject({ file: z.string() }) }),
  /** Reports what became of it. Without a `failure`, it was made. */
  z.strictObject({
    verb: z.literal('backup end'),
    input: z.strictObject({ intent: z.string().max(40), failure: z.string().max(500).optional() }),
  }),
]);
export type CliCommand = z.output<typeof cliCommand>;

/** A command that the calling process runs itself. `file` `-`: standard output. */
export type BackupCommand =
  | { verb: 'backup'; file: string; force: boolean }
  | { verb: 'restore'; file: string; replace: boolean; quietMs: number };

/** Arguments that are no command. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Usage: npm run -s lockyard -- <command>

  keys create --name SERVICE --namespace NAMESPACE   Create an API key (printed once).
                                                     Repeat --namespace for several.
  keys create --name HOST --witness                  Create a key for lockyard witness, and nothing else.
  namespaces create --name NAMESPACE [--backend ID]  Create a namespace (default backend: "default").
  users create --name NAME --role ROLE               Add a user: viewer, operator or admin.
  users reset-password --name NAME                   Reset a user's password.
  backends reshard ID                                Apply a new shard list; see docs/backends.md.
  locks delete --prefix PREFIX [--namespace NAMESPACE] [--count N --reason TEXT]
                                                     Delete free locks, at most N; without --count, only preview.
                                                     Or --name NAME, repeatable. Also: counters delete.
  locks set-capacity --name NAME --capacity N --reason TEXT [--namespace NAMESPACE]
                                                     Change how many permits of a lock may be held at once.
  locks reassign --name NAME --to OWNER --reason TEXT [--namespace NAMESPACE]
                                                     End the hold and grant the lock to a waiter.
  counters adjust --name NAME --by N --reason TEXT [--namespace NAMESPACE]
                                                     Add N, such as 5 or --by=-5, to a counter.
  backup FILE [--force]                              Back up to a file; the server may be running.
  restore FILE [--replace] [--quiet DURATION]        Restore (server stopped); see docs/operations.md.
  --version                                          Print the release and its schema.

Both users commands generate a password and print it; with --password-stdin they read one from standard input.

  exec NAME -- COMMAND   Run a command under a lock. Also: ls, inspect, watch, release, witness. They
                         call the service at LOCKYARD_URL with LOCKYARD_API_KEY; see docs/exec.md.
`;

import { z } from 'zod';
import {
  extendInput,
  forceReleaseInput,
  freezeInput,
  lockRef,
  reassignInput,
  releaseRequestInput,
  setCapacityInput,
} from '../contract/console/console-inputs';
import { adjustCounterByInput } from '../contract/console/counter-inputs';
import { deletionCommandInput } from '../contract/console/deletion-inputs';
import { ownerName } from '../contract/primitives';
import { applyInput } from './apply/apply-input';
import { command, PROVISIONING_COMMANDS } from './provisioning/provisioning-command';

const chosenLock = { namespace: true, name: true, reason: true } as const;
/** A hold that `locks show` printed. */
const seenHold = { ...chosenLock, token: true } as const;

/**
 * Commands of the command line. They are sent over the control socket, which validates them again.
 */
export const cliCommand = z.discriminatedUnion('verb', [
  ...PROVISIONING_COMMANDS,
  command('apply', applyInput),
  /** `shards` is the list of the calling command: a server with another list does nothing. */
  command(
    'backends reshard',
    z.strictObject({ backend: z.string().max(32), shards: z.array(z.string()).max(32) }),
  ),
  command('names delete', deletionCommandInput),
  command('locks show', lockRef),
  command('locks request-release', releaseRequestInput.pick(seenHold)),
  command('locks block-renewals', releaseRequestInput.pick(seenHold)),
  command('locks extend', extendInput.pick({ ...seenHold, extendMs: true })),
  command('locks force-release', forceReleaseInput.pick(seenHold)),
  command('locks freeze', freezeInput.pick(chosenLock)),
  command('locks unfreeze', freezeInput.pick(chosenLock)),
  command('locks set-capacity', setCapacityInput.pick({ ...chosenLock, capacity: true })),
  command('locks reassign', reassignInput.pick(chosenLock).extend({ to: ownerName })),
  command(
    'counters adjust',
    adjustCounterByInput
      .pick({ namespace: true, name: true, reason: true })
      .extend({ by: adjustCounterByInput.shape.delta }),
  ),
  /** The server's findings on itself and its stores, as JSON: see `finding`. */
  command('doctor', z.strictObject({})),
  /** Announces a backup that the calling command is about to make; answered with an intent. */
  command('backup begin', z.strictObject({ file: z.string() })),
  /** Reports the outcome of a backup. Without a `failure`, it was made. */
  command(
    'backup end',
    z.strictObject({ intent: z.string().max(40), failure: z.string().max(500).optional() }),
  ),
]);
export type CliCommand = z.output<typeof cliCommand>;

/** Commands that change nothing, and those that a backup sends, which reports its own result. */
const READS = /(^doctor$| list$| show$|^backup )/;

export const isReading = ({ verb }: CliCommand): boolean => READS.test(verb);

/** A command that the calling process runs itself. `file` `-`: standard output. */
export type BackupCommand =
  | { verb: 'backup'; file: string; force: boolean }
  | { verb: 'restore'; file: string; replace: boolean; quietMs: number };

/** The calling process itself resets the installation's secret, while no server runs. */
export interface ResetSecretCommand {
  verb: 'secret reset';
}

/** The part of an `apply` that only the calling process needs. */
export interface ApplyCommand {
  verb: 'apply file';
  file: string;
  dryRun: boolean;
  prune: boolean;
}

/** A key that the calling process generates, to be passed to `apply` in an environment variable. */
export interface GenerateCommand {
  verb: 'keys generate';
  /** Whether the key will have a prefix, verbs or an expiry. */
  limited: boolean;
}

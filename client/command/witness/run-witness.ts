import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '../../errors';
import { readHostIdentity } from '../../platform/linux-process';
import { endWithNpm } from '../exec/end-with-npm';
import { CommandFailure, EXIT } from '../exit-codes';
import { openClient } from '../open-client';
import { readArguments, refuseExtraWord } from '../read-arguments';
import { createReporter } from '../terminal/reporter';
import { localKernel, lookAtProcess, type NamedProcess } from './look-at-process';

export const WITNESS_USAGE = 'lockyard witness [options]';

const OPTIONS = {
  url: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
  help: { type: 'boolean', short: 'h' },
} as const;

const RETRY_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;

/** The bounds of the interval that a server may set: a death noticed late frees no lock. */
const LOOK_AGAIN_MIN_MS = 100;
const LOOK_AGAIN_MAX_MS = 10_000;

/** How long to wait before the next report, within the bounds. */
export function lookAgainDelayMs(askedMs: unknown): number {
  const ms = Number.isFinite(askedMs) ? (askedMs as number) : RETRY_MS;
  return Math.min(Math.max(ms, LOOK_AGAIN_MIN_MS), LOOK_AGAIN_MAX_MS);
}

/**
 * `lockyard witness`: reports to Lockyard, every second until it is interrupted, which processes of
 * this machine that hold locks are alive. Null: help was asked for.
 */
export async function runWitness(words: string[]): Promise<number | null> {
  const { values, positionals } = readArguments(words, OPTIONS);
  if (values.help) return null;
  refuseExtraWord(positionals[0], WITNESS_USAGE);
  const host = readHostIdentity();
  if (!host) {
    const why = 'a witness needs Linux, its own /proc and the initial time namespace';
    throw new CommandFailure(EXIT.config, `This machine cannot be witnessed: ${why}.`);
  }
  endWithNpm(process.env);
  const say = createReporter(values.quiet ? 'quiet' : 'normal');
  const client = openClient({ url: values.url });
  say.normally(`witness of ${host.host}, boot ${host.bootId}, pid namespace ${host.pidNamespace}`);
  let asked: NamedProcess[] = [];
  let isCutOff = false;
  for (;;) {
    const processes = asked.map((named) => lookAtProcess(named, localKernel));
    try {
      const report = { ...host, processes };
      const answer = await client.reportProcesses(report, { timeoutMs: ANSWER_WITHIN_MS });
      if (isCutOff) say.normally('server responding again');
      isCutOff = false;
      asked = answer.processes;
      await sleep(lookAgainDelayMs(answer.lookAgainInMs));
    } catch (error) {
      if (!isRetryable(error, client.settings.addresses.hasAnswered)) throw error;
      if (!isCutOff) say.normally(`${error.message} Retrying…`);
      isCutOff = true;
      // These states may be out of date when the server answers again, so the loop reads them
      // again.
      await sleep(RETRY_MS);
    }
  }
}

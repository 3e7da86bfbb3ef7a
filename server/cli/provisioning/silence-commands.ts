import { listSilences } from '../../operations/alerts/list-silences';
import { endSilence, silenceAlerts } from '../../operations/alerts/silence-alerts';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { requireServer } from '../require-server';
import type { InputOf } from './provisioning-command';
import { textTable } from './text-table';

export async function listAllSilences(ctx: ControlContext): Promise<CliAnswer> {
  const silences = await listSilences(ctx);
  const rows = silences.map(({ id, namespace, kind, name, by, endsAt, reason }) => ({
    id,
    namespace,
    kind,
    name,
    by,
    endsAt,
    reason,
  }));
  return { text: textTable(rows), data: { silences } };
}

/** Prints the id. */
export async function createSilence(
  ctx: ControlContext,
  input: InputOf<'silences create'>,
): Promise<CliAnswer> {
  const made = await silenceAlerts(requireServer(ctx), input);
  return { text: made.id, data: { created: true, ...made } };
}

export async function removeSilence(
  ctx: ControlContext,
  input: InputOf<'silences remove'>,
): Promise<CliAnswer> {
  const ended = await endSilence(requireServer(ctx), input);
  return { text: null, note: `Silence ${input.id} ended.`, data: { ...ended } };
}

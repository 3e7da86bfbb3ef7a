import { formatDuration } from '../../../client/command/terminal/duration';
import { printable } from '../../../client/command/terminal/printable';
import { type BackendHealth, outagesOf, refusalText } from '../../contract/console/backend-health';

/**
 * The backends that do not respond, or reject requests, with the reason: a list may lack what they
 * have, or show it out of date.
 */
export const notResponding = (backends: BackendHealth[]) =>
  backends
    .filter(({ reachable }) => !reachable)
    .map((health) => {
      const refusal = refusalText(health);
      const silence = { backend: health.id, silentForMs: health.silentForMs };
      return refusal === '' ? silence : { ...silence, refusal };
    });

/** The same, a line for each. */
export const silenceNotes = (backends: BackendHealth[]): string[] =>
  backends.flatMap((health) => {
    const id = printable(health.id);
    const refusal = refusalText(health);
    const isSilent = outagesOf(health).includes('not responding');
    return [
      ...(isSilent ? [`${id} has not responded for ${formatDuration(health.silentForMs)}.`] : []),
      ...(refusal === '' ? [] : [`${id} rejects requests. ${printable(refusal)}`]),
    ];
  });

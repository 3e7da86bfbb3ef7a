import { formatDuration } from '../../../client/command/terminal/duration';
import { printable } from '../../../client/command/terminal/printable';
import type { BackendHealth } from '../../contract/console/backend-health';

/** The backends that do not respond: a list may lack what they have, or show it out of date. */
export const notResponding = (backends: BackendHealth[]) =>
  backends
    .filter(({ reachable }) => !reachable)
    .map(({ id, silentForMs }) => ({ backend: id, silentForMs }));

/** The same, a line for each. */
export const silenceNotes = (backends: BackendHealth[]) =>
  notResponding(backends).map(
    ({ backend, silentForMs }) =>
      `${printable(backend)} has not responded for ${formatDuration(silentForMs)}.`,
  );

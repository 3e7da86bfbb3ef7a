import { formatDuration } from '../../../client/command/terminal/duration';
import { printable } from '../../../client/command/terminal/printable';
import { type BackendHealth, outagesOf, refusalText } from '../../contract/console/backend-health';
import { listNamespaceSettings } from '../../operations/namespaces/list-namespace-settings';
import type { OperationContext } from '../../operations/operation-context';
import { counted } from '../counted';

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

/** A backend that keeps namespaces, and that the server is not configured for. */
interface MissingBackend {
  backend: string;
  namespaces: string[];
}

/** A list lacks all that these have: the server cannot read it. */
export async function notConfigured(ctx: OperationContext): Promise<MissingBackend[]> {
  const missing = new Map<string, string[]>();
  for (const { name, backend } of await listNamespaceSettings(ctx)) {
    if (ctx.runtime.engines.has(backend)) continue;
    missing.set(backend, [...(missing.get(backend) ?? []), name]);
  }
  return Array.from(missing, ([backend, namespaces]) => ({ backend, namespaces }));
}

/** How many namespaces a line names; `--json` has all. */
const NAMED_MAX = 10;

/** The same, a line for each. */
export const missingNotes = (missing: MissingBackend[]): string[] =>
  missing.map(({ backend, namespaces }) => {
    const some = namespaces.slice(0, NAMED_MAX).join(', ');
    const more = namespaces.length > NAMED_MAX ? ', …' : '';
    const left = `${counted(namespaces.length, 'namespace')} (${some}${more})`;
    return `Not listed: ${left} on backend "${printable(backend)}", not configured on this server.`;
  });

/** What a list of locks or counters lacks, a line for each reason; null: nothing. */
export function lackNote(
  noun: 'locks' | 'counters',
  { rows, matching, backends }: { rows: unknown[]; matching: number; backends: BackendHealth[] },
  missing: MissingBackend[],
): string | null {
  const notes = [
    ...(rows.length < matching ? [`${rows.length} of ${matching} ${noun}.`] : []),
    ...silenceNotes(backends),
    ...missingNotes(missing),
  ];
  return notes.join('\n') || null;
}

import { LockyardError } from '../../contract/errors';
import { listCounters } from '../../operations/counters/for-people/counter-views';
import { createCounter } from '../../operations/counters/for-people/create-counter';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { notResponding, silenceNotes } from '../records/not-responding';
import { requireServer } from '../require-server';
import type { InputOf } from './provisioning-command';
import { textTable } from './text-table';

/** The counters as the server last read them, by name: at most one page. */
export async function listAllCounters(
  ctx: ControlContext,
  { search }: InputOf<'counters list'>,
): Promise<CliAnswer> {
  const input = { ...(search !== undefined && { search }), limit: 1_000 };
  const { rows, matching, backends } = await listCounters(requireServer(ctx), input);
  const counters = rows.map(({ namespace, name, value, floor, ceiling, isKnown }) => ({
    namespace,
    name,
    value,
    floor,
    ceiling,
    isKnown,
  }));
  const lines = [
    textTable(counters),
    rows.length < matching ? `${rows.length} of ${matching} counters.` : null,
    ...silenceNotes(backends),
  ];
  return {
    text: lines.filter((line) => line !== null).join('\n') || null,
    data: { counters, matching, notResponding: notResponding(backends) },
  };
}

/**
 * Prints nothing. With `ifMissing` an existing counter with those bounds is left unchanged,
 * whatever its value.
 */
export async function createCounterIfMissing(
  ctx: ControlContext,
  { counter, ifMissing }: InputOf<'counters create'>,
): Promise<CliAnswer> {
  const { namespace, name, floor = null, ceiling = null } = counter;
  const answer = await createCounter(requireServer(ctx), counter);
  const created = answer.outcome === 'created';
  if (answer.outcome === 'exists') {
    if (!ifMissing) {
      throw new LockyardError('CONFLICT', `There is a counter "${name}" in ${namespace} already.`);
    }
    if (answer.floor !== floor || answer.ceiling !== ceiling) {
      const bounds = `floor ${answer.floor ?? 'none'}, ceiling ${answer.ceiling ?? 'none'}`;
      const text = `There is a counter "${name}" in ${namespace} with other bounds: ${bounds}.`;
      throw new LockyardError('CONFLICT', text);
    }
  }
  return { text: null, data: { created, namespace, name } };
}

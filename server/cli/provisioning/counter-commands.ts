import { printable } from '../../../client/command/terminal/printable';
import type { CounterRow } from '../../contract/console/counter-row';
import { LockyardError } from '../../contract/errors';
import { listCounters } from '../../operations/counters/for-people/counter-views';
import { createCounter } from '../../operations/counters/for-people/create-counter';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { lackNote, notConfigured, notResponding } from '../records/not-responding';
import { requireServer } from '../require-server';
import type { InputOf } from './provisioning-command';
import { textTable } from './text-table';

/** The counters as the server last read them, by name: at most one page. */
export async function listAllCounters(
  ctx: ControlContext,
  { search }: InputOf<'counters list'>,
): Promise<CliAnswer> {
  const input = { ...(search !== undefined && { search }), limit: 1_000 };
  const server = requireServer(ctx);
  const page = await listCounters(server, input);
  const missing = await notConfigured(server);
  const counters = page.rows.map(({ namespace, name, value, floor, ceiling, isKnown }) => ({
    namespace,
    name,
    value,
    floor,
    ceiling,
    isKnown,
  }));
  const { matching, backends } = page;
  const silent = notResponding(backends);
  return {
    text: textTable(counters.map(line)),
    note: lackNote('counters', page, missing),
    data: { counters, matching, notResponding: silent, notConfigured: missing },
  };
}

type ListedCounter = Pick<
  CounterRow,
  'namespace' | 'name' | 'value' | 'floor' | 'ceiling' | 'isKnown'
>;

function line({ isKnown, ...counter }: ListedCounter): Record<string, unknown> {
  if (isKnown) return counter;
  const { value } = counter;
  return { ...counter, value: value === null ? 'unknown' : `${value} (last known)` };
}

/**
 * Prints only a note. With `ifMissing` an existing counter with those bounds is left unchanged,
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
  const note = `Counter "${printable(name)}" ${
    created ? `created in ${namespace}` : `exists already in ${namespace}; nothing was changed`
  }.`;
  return { text: null, note, data: { created, namespace, name } };
}

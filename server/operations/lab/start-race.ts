import { randomText } from '../../auth/random-text';
import type { LabStartInput } from '../../contract/console/lab/lab-inputs';
import type { LabEntry } from '../../contract/console/lab/lab-race';
import type { LabStartAnswer } from '../../contract/console/lab/lab-run';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { LabContext } from './lab-races';

const RUN_ID_CHARS = 12;

/**
 * Starts a race of the Lab, unless one runs in any process on this control database.
 *
 * @throws LockyardError `INVALID` for a strategy that the catalogue does not have, `CONFLICT` for
 *   one that lacks a server
 */
export async function startRace(ctx: LabContext, settings: LabStartInput): Promise<LabStartAnswer> {
  const { lab } = ctx.runtime;
  const id = randomText(RUN_ID_CHARS);
  const { strategies, seed: _, ...load } = settings;
  const seen = { strategies: strategies.length, ...load };
  const what = { act: 'lab.start', subject: id, seen } as const;
  const who = await permit(ctx, 'operator', what);
  const { entries: known } = await lab.preflight(false);
  const chosen = strategies.map((each) => runnable(known, each));
  const progress = {
    entries: chosen.map(({ id, number, title, kind, consistency }) => ({
      id,
      number,
      title,
      kind,
      consistency,
    })),
    rows: [],
    current: null,
  };
  try {
    await auditedDatabaseChange(ctx, who, what, async (tx) => {
      await lab.table.open(tx, { id, startedBy: who.name, settings }, progress);
      return { answer: null };
    });
  } catch (error) {
    if (!(error instanceof LockyardError) || error.reason !== 'CONFLICT') throw error;
    const running = await askDatabase(() => lab.table.running());
    if (!running) throw error;
    return { outcome: 'busy', ...running };
  }
  lab.run(id, settings, progress);
  return { outcome: 'started', id };
}

function runnable(known: LabEntry[], id: string): LabEntry {
  const entry = known.find((each) => each.id === id);
  if (!entry) throw new LockyardError('INVALID', `strategies: there is no strategy "${id}".`);
  if (entry.lacks !== null) {
    throw new LockyardError('CONFLICT', `"${entry.title}" cannot run. ${entry.lacks}`);
  }
  return entry;
}

import { LAB_LIMITS, type LabEntry, type LabSettings } from '../contract/console/lab/lab-race';
import { LockyardError } from '../contract/errors';
import { nearestName } from '../platform/nearest-name';

const NAMES: Record<keyof typeof LAB_LIMITS, string> = {
  workers: 'The number of workers',
  stock: 'The stock',
  thinkMs: 'The think time in milliseconds',
  perEntryMs: 'The time for each strategy in milliseconds',
  seed: 'The seed',
};

/** @throws LockyardError `INVALID`, whose message is one line for a person */
export function refuseBadLoad(settings: LabSettings): void {
  for (const [key, { least, most }] of Object.entries(LAB_LIMITS)) {
    const name = key as keyof typeof LAB_LIMITS;
    const value = settings[name];
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    throw invalid(`${NAMES[name]} must be a whole number from ${least} to ${most}, not ${value}.`);
  }
  if (settings.strategies.length === 0) throw invalid('Choose at least one strategy.');
}

/**
 * Refuses strategies that are unknown, named twice, or lack a server.
 *
 * @throws LockyardError `INVALID`, whose message is one line for a person
 */
export function refuseBadStrategies(ids: string[], entries: LabEntry[]): void {
  const known = entries.map(({ id }) => id);
  for (const id of ids) {
    const entry = entries.find((candidate) => candidate.id === id);
    if (!entry) {
      const typed = id.slice(0, 60);
      throw invalid(`There is no strategy "${typed}". Did you mean ${nearestName(typed, known)}?`);
    }
    if (entry.lacks !== null) throw invalid(`"${entry.title}" cannot run. ${entry.lacks}`);
    if (ids.indexOf(id) !== ids.lastIndexOf(id)) {
      throw invalid(`The strategy "${id}" is named twice.`);
    }
  }
}

const invalid = (message: string) => new LockyardError('INVALID', message);

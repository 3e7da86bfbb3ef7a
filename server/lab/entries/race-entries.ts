import type { RaceEntry } from '../race/race-entry';
import { otherEntries } from './other-entries';
import { redisEntries } from './redis-entries';
import { serviceEntries } from './service-entries';
import { sessionEntries } from './session-entries';
import { tableEntries } from './table-entries';

/** The race entry of each entry of the catalogue, by its id. */
export const raceEntries: Record<string, RaceEntry> = {
  ...sessionEntries,
  ...tableEntries,
  ...redisEntries,
  ...otherEntries,
  ...serviceEntries,
};

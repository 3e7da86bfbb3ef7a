import { expect, it } from 'vitest';
import { COMMAND_BUDGET_MS } from '../../core/timing';
import type { PendingCommand } from '../pending-command';
import type { CommandGroup } from './batcher';
import { earliestDueAt, splitByUrgency } from './split-by-urgency';

const NOW = 50_000;
const asked = (agoMs: number, isAnswered = false) =>
  ({ dueAt: NOW - agoMs + COMMAND_BUDGET_MS, isAnswered }) as PendingCommand;
const group = (id: string, ...commands: PendingCommand[]): CommandGroup => ({ id, commands });
const idsOf = (packets: CommandGroup[][]) => packets.map((one) => one.map(({ id }) => id).join(''));

it('commands close to their deadline share no packet with those on other locks', () => {
  const groups = [group('a', asked(0)), group('b', asked(3_000), asked(0)), group('c', asked(500))];
  expect(idsOf(splitByUrgency(groups, NOW))).toEqual(['ac', 'b']);
  expect(idsOf(splitByUrgency(groups.slice(1, 2), NOW))).toEqual(['b']);
});

it('commands that were refused while waiting do not delay those on the same lock', () => {
  const [late, fresh] = [asked(4_700, true), asked(0)];
  const packets = splitByUrgency([group('a', late, fresh), group('b', late)], NOW);
  expect(packets).toEqual([[group('a', fresh)]]);
  expect(earliestDueAt(packets.flat())).toBe(fresh.dueAt);
});

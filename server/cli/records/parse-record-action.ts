import { parseDuration } from '../../../client/command/terminal/duration';
import { type CliCommand, cliCommand } from '../cli-command';
import {
  issueMessage,
  neededOptions,
  numberIn,
  onlyOptions,
  refuseOtherOptions,
  UsageError,
} from '../usage-error';

/** An operator's actions on one record, each with the options it needs besides the name. */
const RECORD_ACTIONS = {
  'locks show': [],
  'locks request-release': ['token', 'reason'],
  'locks block-renewals': ['token', 'reason'],
  'locks extend': ['token', 'by', 'reason'],
  'locks force-release': ['token', 'reason'],
  'locks reassign': ['to', 'reason'],
  'locks freeze': ['reason'],
  'locks unfreeze': ['reason'],
  'locks set-capacity': ['capacity', 'reason'],
  'counters adjust': ['by', 'reason'],
} as const;
type RecordAction = keyof typeof RECORD_ACTIONS;
type RecordOption = (typeof RECORD_ACTIONS)[RecordAction][number];

export const RECORD_ACTION_VERBS = Object.keys(RECORD_ACTIONS);

const OPTIONS = {
  namespace: { type: 'string' },
  name: { type: 'string' },
  token: { type: 'string' },
  capacity: { type: 'string' },
  to: { type: 'string' },
  by: { type: 'string' },
  reason: { type: 'string' },
} as const;

/** Parses an action on one lock or counter, or `locks show`; null for any other command. */
export function parseRecordAction([noun, word, ...rest]: string[]): CliCommand | null {
  const verb = `${noun} ${word}`;
  if (!isRecordAction(verb)) return null;
  const wanted: readonly RecordOption[] = RECORD_ACTIONS[verb];
  const needs = neededOptions(verb, ['name', ...wanted]);
  const { namespace = 'default', name, ...given } = onlyOptions(verb, rest, OPTIONS, needs);
  if (name === undefined || wanted.some((option) => given[option] === undefined)) {
    throw new UsageError(`${verb} needs ${needs}.`);
  }
  refuseOtherOptions(verb, Object.keys(given), ['name', ...wanted, 'namespace']);
  const values = wanted.map((option) => fieldOf(verb, option, given[option] ?? ''));
  const input = { namespace, name, ...Object.fromEntries(values) };
  const parsed = cliCommand.safeParse({ verb, input });
  if (!parsed.success) throw new UsageError(issueMessage(parsed.error));
  return parsed.data;
}

const isRecordAction = (verb: string): verb is RecordAction => Object.hasOwn(RECORD_ACTIONS, verb);

/** The field of the input that an option sets, with its value. */
function fieldOf(verb: RecordAction, option: RecordOption, text: string): [string, unknown] {
  if (option === 'to' || option === 'reason') return [option, text];
  if (verb !== 'locks extend' || option !== 'by') return [option, numberIn(text)];
  const extendMs = parseDuration(text);
  if (extendMs === null) throw new UsageError('--by: must be a duration, such as 30s, 15m or 2h.');
  return ['extendMs', extendMs];
}

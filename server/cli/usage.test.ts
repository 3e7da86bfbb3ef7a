import { expect, test } from 'vitest';
import { USAGE, usageOf } from './usage';
import { parseOptions } from './usage-error';

/** The first line of each command in a help text. */
const commandsIn = (text: string) => text.split('\n').filter((line) => /^ {2}\S/.test(line));

test.each([
  {
    words: ['keys', 'create', '--help'],
    commands: ['keys create --name S', 'keys create --name H'],
  },
  { words: ['keys', 'list', '-h'], commands: ['keys | users'] },
  { words: ['counters', 'delete', '-h'], commands: ['locks | counters delete'] },
  { words: ['users', 'show', 'help'], commands: ['keys show'] },
  { words: ['users', 'remove', 'ada', '--help'], commands: ['users remove'] },
  { words: ['backup', 'FILE', '-h'], commands: ['backup FILE'] },
  {
    words: ['locks', 'lend', '-h'],
    commands: [
      'locks | counters',
      'locks list',
      'locks show',
      'locks request-release',
      'locks block-renewals',
      'locks extend',
      'locks force-release',
      'locks reassign',
      'locks freeze',
      'locks set',
    ],
  },
  { words: ['locks', 'unfreeze', '-h'], commands: ['locks freeze | unfreeze'] },
  { words: ['exec', '-h'], commands: ['exec NAME'] },
])('help after $words is about that command alone', ({ words, commands }) => {
  const lines = commandsIn(usageOf(words)).map((line, i) =>
    line.slice(2, 2 + (commands[i]?.length ?? 0)),
  );
  expect(lines).toEqual(commands);
});

test.each([[[]], [['--help']], [['lend', '--help']]])('help after %j is about all', (words) => {
  expect(usageOf(words)).toBe(USAGE);
});

test.each([[['--name', 'import-\ufffd']], [['--name=\ufffd']], [['import-\ufffd']]])(
  'a word in which Node replaced bytes that are not UTF-8 is refused: %j',
  (args) => {
    const read = () => parseOptions(args, { name: { type: 'string' } });
    expect(read).toThrow(`"${args.at(-1)}" has bytes that are not UTF-8`);
  },
);

import { expect, it } from 'vitest';
import { highlightCode } from './highlight-code';

const SOURCE = `// Takes the "lock".
const sql = \`select * from t -- it's \${name}\`;
await run('don\\'t', 1_000, /* all */ "x");`;

it('colours comments, texts, words and numbers, each where it begins', () => {
  const kinds = highlightCode(SOURCE).filter(({ kind }) => kind !== 'plain');
  expect(kinds.map(({ kind, text }) => [kind, text])).toEqual([
    ['comment', '// Takes the "lock".'],
    ['keyword', 'const'],
    ['text', "`select * from t -- it's $".concat('{name}`')],
    ['keyword', 'await'],
    ['text', "'don\\'t'"],
    ['number', '1_000'],
    ['comment', '/* all */'],
    ['text', '"x"'],
  ]);
});

it('loses nothing of the source, whatever it is', () => {
  for (const source of [SOURCE, '', '`open', "'", '/* open', 'ä€😀 = 3', 'a\n\n  b']) {
    expect(
      highlightCode(source)
        .map(({ text }) => text)
        .join(''),
    ).toBe(source);
  }
});

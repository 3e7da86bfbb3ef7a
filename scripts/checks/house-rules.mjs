import { basename } from 'node:path';
import { parseSync } from 'oxc-parser';
import { retiredWordIn } from './retired-words.mjs';
import { testFiles } from './test-support.mjs';

const linesAtMost = 300;
const testLinesAtMost = 500;
const emptyNames = /^(utils?|helpers?|types?|common|misc|shared|lib|manager|index)$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The parts of the environment, each with the only files that may use it. */
const outsideDoors = [
  {
    what: 'process.env',
    pattern: /\bprocess\.env\b|\{[^{}]*\benv\b[^{}]*\} = process\b/,
    rooms: /^(server|db|app|components)\//,
    door: /^server\/(main|cli\/cli)\.ts$/,
  },
  {
    what: 'Date.now',
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    rooms: /^(server|db)\//,
    door: /^server\/platform\/clock\.ts$/,
  },
];

/** One line for each violation of a rule on a file's size, name or content. */
export function houseRuleViolations(graph) {
  const tests = testFiles(graph);
  return [...graph].flatMap(([path, { text }]) => {
    const { program } = parseSync(path, text);
    return [
      tooLong(path, text),
      badName(path),
      serverAction(path, text),
      barrel(path, program),
      retiredWordIn(path, text),
      ...(tests.has(path) ? [] : outside(path, text)),
    ]
      .filter(Boolean)
      .map((complaint) => `${path}: ${complaint}`);
  });
}

const isTest = (path) => /\.(test|spec)\.tsx?$/.test(path);

function tooLong(path, text) {
  const lines = text.split('\n').length - 1;
  const atMost = isTest(path) ? testLinesAtMost : linesAtMost;
  return lines > atMost ? `${lines} lines, at most ${atMost}` : null;
}

function badName(path) {
  const stem = basename(path).replace(/(\.(test|spec|d|config))*\.tsx?$/, '');
  if (emptyNames.test(stem)) return `"${stem}" says nothing about what is in it`;
  return kebabCase.test(stem) ? null : 'file names are in kebab-case';
}

const serverAction = (_path, text) =>
  /^\s*(['"])use server\1/m.test(text) ? 'server actions are not used here' : null;

/** A file that only re-exports other files hides the real dependencies. */
function barrel(path, { body }) {
  const onlyReexports =
    body.length > 1 &&
    body.every(
      (node) =>
        /^Export(All|Named)Declaration$/.test(node.type) &&
        node.source &&
        node.exportKind !== 'type',
    );
  return onlyReexports && !path.startsWith('client/')
    ? 'only passes on what other files export'
    : null;
}

function outside(path, text) {
  return outsideDoors
    .filter(
      ({ rooms, door, pattern }) => rooms.test(path) && !door.test(path) && pattern.test(text),
    )
    .map(({ what }) => `reads ${what}, which comes in from outside`);
}

import { expect, test } from 'vitest';
import { folderViolations, importCycles } from './check-architecture.mjs';
import { houseRuleViolations } from './house-rules.mjs';
import { importGraph } from './import-graph.mjs';
import { wallViolations } from './import-walls.mjs';
import { wideLines } from './wide-lines.mjs';

const graphOf = (files: Record<string, string>) => importGraph(new Map(Object.entries(files)));
const walls = (path: string, text: string) => wallViolations(graphOf({ [path]: text }));
const rules = (path: string, text: string) => houseRuleViolations(graphOf({ [path]: text }));

test.each([
  ['a page', 'app/page.tsx', "import { db } from '@/db/open-database';"],
  ['a page, from a router', 'app/page.tsx', "import { caller } from '@/server/api/rpc/caller';"],
  ['a component', 'components/row.tsx', "import { acquire } from '../server/operations/acquire';"],
  ['a component, of the client', 'components/a.tsx', "import { lead } from '@/client/lead';"],
  ['a component, of the operating system', 'components/row.tsx', "import fs from 'node:fs';"],
  ['the core', 'server/core/decide.ts', "import { clock } from '../platform/clock';"],
  [
    'the core, even for a type',
    'server/core/decide.ts',
    "import type { Db } from '@/db/database';",
  ],
  [
    'a router',
    'server/api/rpc/router.ts',
    "import { engine } from '@/server/engine/create-engine';",
  ],
  [
    'a router, at run time',
    'server/api/rpc/router.ts',
    "const { db } = await import('@/db/database');",
  ],
  ['a router, passing on', 'server/api/rpc/router.ts', "export { db } from '@/db/database';"],
  ['the engine', 'server/engine/flush.ts', "import { audit } from '../operations/with-audit';"],
  ['a store', 'server/storage/store.ts', "import '../engine/create-engine';"],
  ['a store, from an operation', 'server/storage/a.ts', "import '../operations/audit/audit-log';"],
  ['the contract', 'server/contract/a.ts', "import { decide } from '../core/lock/decide';"],
  ['a strategy', 'server/strategies/redis/a.ts', "import '../../storage/redis/redis-store';"],
  ['the platform', 'server/platform/log.ts', "import { C } from '../contract/errors';"],
  ['the client', 'client/lock.ts', "import { decide } from '@/server/core/decide';"],
])('a wall stops %s', (_who, path, text) => expect(walls(path, text)).toHaveLength(1));

test.each([
  [
    'the contract, for components',
    'components/row.tsx',
    "import { f } from '@/server/contract/inputs';",
  ],
  [
    'types, downwards and upwards',
    'server/engine/a.ts',
    "import type { C } from '../operations/c';",
  ],
  [
    'the contract, for the rules',
    'server/core/counter/counter-record.ts',
    "import { BOUND } from '../../contract/counter/inputs';",
  ],
  [
    'types of the router, for components',
    'components/a.tsx',
    "import { type R } from '@/server/api/rpc/r';",
  ],
  [
    'how a duration is written, for components',
    'components/a.tsx',
    "import { parseDuration } from '@/client/command/terminal/duration';",
  ],
  ['types of a router, for a page', 'app/page.tsx', "import type { R } from '@/server/api/rpc/r';"],
  [
    'the databases, for the composition root',
    'server/bootstrap/create-runtime.ts',
    "import { o } from '@/db/open';",
  ],
])('a wall has a door: %s', (_what, path, text) => expect(walls(path, text)).toEqual([]));

test('a file that only tests import may reach through a wall, one that a page uses may not', () => {
  const harness = {
    'server/api/http/harness.ts': "import { createRuntime } from '../../bootstrap/runtime';",
  };
  const tested = { ...harness, 'server/api/http/door.test.ts': "import { h } from './harness';" };
  expect(wallViolations(graphOf(tested))).toEqual([]);
  const used = { ...tested, 'server/api/http/door.ts': "import { h } from './harness';" };
  expect(wallViolations(graphOf(used))).toHaveLength(1);
});

test('a cycle of imports is found; a cycle of types is none', () => {
  const circle = {
    'db/a.ts': "import { b } from './b';",
    'db/b.ts': "import { c } from '@/db/c';",
  };
  expect(importCycles(graphOf({ ...circle, 'db/c.ts': "import { a } from './a';" }))).toEqual([
    ['db/a.ts', 'db/b.ts', 'db/c.ts', 'db/a.ts'],
  ]);
  expect(importCycles(graphOf({ ...circle, 'db/c.ts': "import type { a } from './a';" }))).toEqual(
    [],
  );
});

test.each([
  ['a file of 301 lines', 'db/long.ts', 'const a = 1;\n'.repeat(301)],
  ['a name that says nothing', 'server/engine/utils.ts', 'export const a = 1;'],
  ['a name in camel case', 'components/lockRow.tsx', 'export const a = 1;'],
  ['a server action', 'app/act.ts', "export async function act() {\n  'use server';\n}"],
  ['a barrel', 'db/all.ts', "export * from './a';\nexport { b } from './b';"],
  ['the environment', 'server/engine/a.ts', 'export const a = process.env.A;'],
  ['the environment, by another word', 'server/engine/a.ts', 'const { pid, env } = process;'],
  ['the clock of the system', 'server/engine/a.ts', 'export const a = () => Date.now();'],
  [
    'a comment that names no subject',
    'server/engine/a.ts',
    '// Nobody waits.\nexport const a = 1;',
  ],
  ['a text that names no subject', 'server/engine/a.ts', "export const a = 'Taken by nobody.';"],
  ['a retired word in an exported name', 'server/engine/a.ts', 'export class PulseRate {}'],
  ['a retired word in the name of a file', 'server/engine/lean-answer.ts', 'export const a = 1;'],
])('a house rule stops %s', (_what, path, text) => expect(rules(path, text)).toHaveLength(1));

const filesIn = (folder: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${folder}/part-${at}.ts`);

test('a folder holds fifteen source files, whatever its sub-folders hold, and not one more', () => {
  const full = [...filesIn('server/engine', 15), ...filesIn('server/engine/commit', 15)];
  expect(folderViolations(full)).toEqual([]);
  expect(folderViolations([...full, 'server/engine/more.ts'])).toHaveLength(1);
});

test('a file of the server lies behind a wall, all but the one that starts it', () => {
  expect(folderViolations(['server/main.ts', 'server/cli/cli.ts'])).toEqual([]);
  expect(folderViolations(['server/clock.ts', 'server/news/a.ts'])).toHaveLength(2);
});

const wide = 'lock '.repeat(20);

test.each([
  ['a comment', ` * ${wide}`],
  ['the title of a test', `test('${wide}', () => {`],
  ['a text', `  '${wide}' +`],
  ['a line of the shell', `echo ${wide}`],
])('%s of over 100 columns is found, with the number of its line', (_what, line) =>
  expect(wideLines('db/a.ts', `a\n${line}\n`)).toEqual(['db/a.ts:2: over 100 columns']),
);

test.each([
  ['100 columns, in any script', `${'ü'.repeat(98)} \u{1f512}`],
  ['classes, which the formatter keeps on one line', `  <p className="${wide}">`],
  ['a regular expression', `  /^${wide}$/u,`],
  ['one word, such as an address', `  'https://localhost/${wide.replaceAll(' ', '/')}' +`],
  ['text before the space that the formatter adds', `${'ab '.repeat(33)}{' '}`],
])('a line may have %s', (_what, line) => expect(wideLines('db/a.ts', line)).toEqual([]));

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { type Example, examplesOf, root } from '@/test/docs/pages';

interface Step {
  script: string;
  /** Its output lines, without what differs from run to run. */
  said: string[];
  /** The output shown on the page. */
  expected: string[];
}

const PAGE = 'docs/tutorial.md';
const MARK = '<end of step>';

/** Whether a step is one that the test has already done: a server, a key or the package. */
const isSetUp = ({ text }: Example) => /npm start|client:pack/.test(text);

/** Twice as fast as npx itself, which another test covers. */
const NPX = `npx() { "./node_modules/.bin/$@"; }\n`;

/** Processes that run side by side may answer in any order. */
const comparable = (text: string) =>
  text
    .replace(/token \d+/g, 'token N')
    .replace(/\b\d+(\.\d+)? (ms|s|min)\b/g, 'N')
    .split('\n')
    .filter((line) => line !== '')
    .sort();

/**
 * Writes the programs of the tutorial into a folder in which the client is installed, and runs its
 * lines there in one shell, in their order.
 */
export async function followTutorial(folder: string, env: NodeJS.ProcessEnv): Promise<Step[]> {
  const steps: { script: string; expected: string }[] = [];
  for (const example of examplesOf(PAGE)) {
    const { language, text } = example;
    const [, file] = /^(?:\/\/|#) (\S+\.(?:mjs|py))\n/.exec(text) ?? [];
    if (file) writeFileSync(join(folder, file), text);
    else if (language === 'text') (steps.at(-1) ?? { expected: '' }).expected = text;
    else if (language === 'sh' && !isSetUp(example)) steps.push({ script: text, expected: '' });
  }
  const script = steps.map((step) => `${step.script}\nprintf '%s' '${MARK}'\n`).join('');
  const shell = spawn('bash', ['-c', NPX + script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, LC_ALL: 'C', PYTHONPATH: join(root, 'clients/python') },
  });
  const [said] = await Promise.all([textOf(shell.stdout), once(shell, 'close')]);
  const answers = said.split(MARK);
  return steps.map((step, at) => ({
    script: step.script,
    said: comparable(answers[at] ?? ''),
    expected: comparable(step.expected),
  }));
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const guide = readFileSync(join(import.meta.dirname, '../docs/api.md'), 'utf8');

/** Every shell block of the guide, with the JSON block that follows it, if any. */
const examples = [...guide.matchAll(/```sh\n(.*?)```\n(?:\n```json\n(.*?)\n```)?/gs)].map(
  ([, script = '', answer]) => ({ script, answer }),
);

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.start();
  const engine = api.runtime.engines.get('default');
  if (!engine) throw new Error('no engine');
  const acquire = engine.acquire.bind(engine);
  engine.acquire = (key, ask, wait) => acquire(key, ask, { ...wait, holdRequestMs: 500 });
});
afterAll(() => api.close());

/** Numbers and ids differ from run to run; everything else may not. */
const sameWords = (json: string) =>
  JSON.parse(json, (field, value) => {
    if (['requestId', 'ageMs', 'id', 'position'].includes(field)) return 'any';
    return typeof value === 'number' && value > 1_000 ? 'number' : value;
  });

/** True once the list shows the end of the only other hold before it. */
const LISTED = `query 'lock.list?prefix=guide:b' | grep '"free"' > /dev/null`;

/** Does the same on a machine that takes minutes over it, or is late with what it shows. */
const unhurried = (script: string) =>
  script
    .replaceAll(/"(lease|holdAtLeast)Ms":[1-9]\d*000\b/g, (field) => `${field}0`)
    .replace('"leaseMs":100}', '"leaseMs":2000}')
    .replace('sleep 0.3\n', 'sleep 2.1\n')
    .replace('sleep 1\n', `until ${LISTED}; do sleep 0.1; done\n`);

const MARK = '\n<end of example>\n';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test.skipIf(!hasCurl)(
  'every example of the API guide answers what the guide says (needs curl)',
  async () => {
    const script = examples
      .map((example) => `${unhurried(example.script)}\nprintf '${MARK}'\n`)
      .join('');
    const shell = spawn('bash', ['-c', script], {
      env: {
        ...process.env,
        // With a locale that this machine does not have, the shell would print a warning.
        LC_ALL: 'C',
        LOCKYARD_URL: api.url,
        LOCKYARD_API_KEY: await api.key('guide'),
      },
    });
    // What it waits for may never come.
    onTestFinished(() => void shell.kill());
    const [output, complaints] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close'),
    ]);
    expect(complaints).toBe('');
    const answers = output.split(MARK);
    expect(examples.length).toBeGreaterThan(20);
    for (const [index, { script: asked, answer }] of examples.entries()) {
      const given = answers[index] ?? '';
      if (answer === undefined) expect(given).toBe('');
      else expect(sameWords(given), asked).toEqual(sameWords(answer));
    }
  },
);

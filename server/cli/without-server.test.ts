import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../backup/testing/command-line';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command line on an empty data folder. */
async function run(words: string) {
  const { code, out, err } = await runHere(words.split(' '), { LOCKYARD_DATA_DIR: folder });
  return { code, out: out.toString('utf8'), err };
}

const reason = '--reason maintenance';
const lock = `--name nightly ${reason}`;

describe('without a server and a database', () => {
  test.each([
    'locks list',
    'locks show --name nightly',
    'locks delete --prefix night',
    `locks delete --prefix night --count 1 ${reason}`,
    `locks request-release ${lock} --token 7`,
    `locks block-renewals ${lock} --token 7`,
    `locks extend ${lock} --token 7 --by 5m`,
    `locks force-release ${lock} --token 7`,
    `locks reassign ${lock} --to worker-1`,
    `locks freeze ${lock}`,
    `locks unfreeze ${lock}`,
    `locks set-capacity ${lock} --capacity 2`,
    'counters list',
    `counters create --name tickets --initial 20 ${reason}`,
    `counters adjust --name tickets --by 1 ${reason}`,
    'counters delete --name tickets',
    'backends list',
    `namespaces remove --name reports ${reason}`,
    `silences create --namespace default --for 2h ${reason}`,
    'silences remove --id 0123456789abcdef',
  ])('%s asks for a server, and creates no database', async (words) => {
    for (const options of ['', ' --create']) {
      const { code, out, err } = await run(words + options);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^No server is running on the data folder [^\n]*LOCKYARD_DATA_DIR\.\n$/);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test.each([
    'keys list',
    'keys show --id 0123456789ab',
    'users list',
    'namespaces show --name default',
    'alert-rules list',
    'silences list',
  ])('%s only reads: it creates no database, nor offers to', async (words) => {
    for (const options of ['', ' --create']) {
      const { code, out, err } = await run(words + options);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^There is no database yet: [^\n]*LOCKYARD_DATABASE_URL\.\n$/);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('secret reset does not offer to create a database', async () => {
    const { code, err } = await run('secret reset --create');
    expect(code).toBe(1);
    expect(err).toMatch(/^There is no database yet: [^\n]*LOCKYARD_DATABASE_URL\.\n$/);
  });
});

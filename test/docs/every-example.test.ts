import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readExecOptions } from '@/client/command/exec/exec-options';
import { USAGE } from '@/client/command/usage';
import { TYPED_PAGES } from '@/client/testing/package-examples';
import { readConfig } from '@/server/bootstrap/config/config';
import { parseCommand } from '@/server/cli/parse-command';
import { USAGE as CLI_USAGE } from '@/server/cli/usage';
import { SERVICE_API } from '@/server/contract/service-api';
import { valuesIn } from './json-values';
import { type Example, examplesOf, PAGES, pageText, proseOf, root } from './pages';
import { commandsIn, linesOf, settingsIn } from './shell-lines';

/**
 * Blocks that another test runs, or that cannot be run here, and why. Each row must match at least
 * one block.
 */
const ELSEWHERE: [language: string, page: RegExp, why: string][] = [
  ['nginx', /behind-a-proxy/, 'test/behind-a-proxy.test.ts runs it in nginx'],
  ['haproxy', /behind-a-proxy/, 'test/behind-a-proxy.test.ts runs it in HAProxy'],
  ['caddy', /behind-a-proxy/, 'test/behind-a-proxy.test.ts runs it in Caddy'],
  ['yaml', /./, 'test/prometheus.test.ts checks what is for Prometheus with promtool'],
  ['sql', /backends/, 'least-privileged-mysql.ts grants and revokes by it'],
  ['sql', /lab/, 'server/lab/preflight connects as such a user'],
  ['sql', /^README/, 'a statement with a gap; client/guards run the whole of it'],
  ['conf', /backends/, 'settings of another program: redis-facts and zookeeper tests have them'],
  ['ini', /./, 'settings of another program: mysql-guarantees.test.ts has those of MySQL'],
  ['cron', /exec/, 'only cron reads it; exec-options reads its command below'],
  ['mermaid', /how-a-lock/, 'drawn by whatever shows the page; no renderer is a dependency'],
  ['go', /clients\/go/, 'an excerpt: test/clients runs the same calls'],
  ['java', /clients\/(java|shedlock)/, 'an excerpt: test/clients runs the same calls'],
  ['', /backends/, 'a command of another program: the least-privileged stores run it'],
  ['', /./, 'what a command prints'],
  ['js', /tutorial/, 'client/package.test.ts follows the tutorial'],
  ['text', /./, 'what a command prints: client/package.test.ts follows the tutorial'],
];

const SHELLS = ['sh', 'bash', 'cron'];
const CLIENT_VERBS = ['exec', 'ls', 'inspect', 'watch', 'release', 'witness'];

const all = PAGES.flatMap(examplesOf);
const inLanguage = (...languages: string[]) =>
  all.filter(({ language }) => languages.includes(language));
const at = ({ page, line }: Example) => `${page}:${line}`;

const folder = mkdtempSync(join(tmpdir(), 'lockyard-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a check on each block, and names those that fail. */
async function complaints(
  examples: Example[],
  check: (example: Example) => unknown,
): Promise<string[]> {
  const found: string[] = [];
  for (const example of examples) {
    try {
      await check(example);
    } catch (error) {
      found.push(`${at(example)}: ${(error as Error).message}`);
    }
  }
  return found;
}

describe('every fenced block of every page', () => {
  test('is checked here, or a row says where else or why not', () => {
    const checked = ['sh', 'bash', 'json', 'jsonc', 'ts', 'python'];
    const fits = ([language, page]: (typeof ELSEWHERE)[number], example: Example) =>
      language === example.language && page.test(example.page);
    const unknown = all.filter(
      (example) =>
        !checked.includes(example.language) && !ELSEWHERE.some((row) => fits(row, example)),
    );
    expect(unknown.map(at)).toEqual([]);
    const idle = ELSEWHERE.filter((row) => !all.some((example) => fits(row, example)));
    expect(idle).toEqual([]);
    expect(all.length).toBeGreaterThan(130);
  });

  test('for a shell has its syntax', () => {
    const scripts = inLanguage('sh', 'bash');
    const check = 'for script; do bash -n -c "$script" || echo "$script"; done';
    // Brackets in a usage line are read as a pattern, and words with an ellipsis as words.
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', check, '-', ...scripts.map((s) => s.text)],
      {
        encoding: 'utf8',
      },
    );
    expect(`${stdout}${stderr}`).toBe('');
    expect(scripts.length).toBeGreaterThan(60);
  });

  test('calls commands and options that exist', async () => {
    let count = 0;
    const found = await complaints(inLanguage(...SHELLS), async ({ text }) => {
      for (const words of linesOf(text).flatMap(commandsIn)) {
        await checkCommand(words);
        count += 1;
      }
    });
    expect(found).toEqual([]);
    expect(count).toBeGreaterThan(25);
  });

  test('sets variables that the server accepts', async () => {
    let count = 0;
    const found = await complaints(inLanguage('sh', 'bash'), ({ text }) => {
      const settings = settingsIn(text);
      if (Object.keys(settings).length === 0) return;
      const authority = settings.LOCKYARD_TLS_CA_ORDERS;
      if (authority) settings.LOCKYARD_TLS_CA_ORDERS = anAuthority();
      readConfig({ LOCKYARD_DATA_DIR: folder, ...settings });
      count += 1;
    });
    expect(found).toEqual([]);
    expect(count).toBeGreaterThan(10);
  });

  test('of JSON parses, and on the API page is an input or answer of its procedure', async () => {
    let fitting = 0;
    const found = await complaints(inLanguage('json', 'jsonc'), ({ page, heading, text }) => {
      const names = [...heading.matchAll(/`([\w.]+)`/g)].flatMap(([, name]) => name ?? []);
      for (const { value, isWhole } of valuesIn(text)) {
        if (page !== 'docs/api-reference.md' || !isWhole) continue;
        const procedures = names.map((name) => SERVICE_API[name as keyof typeof SERVICE_API]);
        const schemas = procedures.flatMap(({ input, answer }) => [input, answer]);
        if (!schemas.some((schema) => schema.safeParse(value).success)) {
          throw new Error(`fits no schema of ${names.join(', ')}: ${JSON.stringify(value)}`);
        }
        fitting += 1;
      }
    });
    expect(found).toEqual([]);
    expect(fitting).toBeGreaterThan(15);
  });

  test('in TypeScript is on a page whose blocks are compiled and run', () => {
    const pages = new Set(inLanguage('ts').map(({ page }) => page));
    expect([...pages].sort()).toEqual([...TYPED_PAGES].sort());
  });

  test('in Python has its syntax', () => {
    const blocks = inLanguage('python').map(({ text }) => text);
    const check = 'import ast, sys\nfor text in sys.argv[1:]: ast.parse(text)';
    const { status, stderr } = spawnSync('python3', ['-c', check, ...blocks], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(blocks.length).toBeGreaterThan(2);
  });
});

async function checkCommand(words: string[]): Promise<void> {
  const [verb = '', ...rest] = words;
  if (verb === 'exec') {
    if (!readExecOptions(rest)) throw new Error('asks for help');
  } else if (CLIENT_VERBS.includes(verb)) {
    for (const option of rest.filter((word) => word.startsWith('--'))) {
      if (!USAGE.includes(option)) throw new Error(`lockyard ${verb} has no ${option}`);
    }
  } else if (!['--help', '--version'].includes(verb)) {
    await parseCommand(words, {
      readPassword: async () => 'plough the seventh field',
      readConfig: () =>
        readConfig({
          LOCKYARD_DATA_DIR: folder,
          LOCKYARD_BACKEND_ORDERS: 'mysql://db1:3306/lockyard,mysql://db2:3306/lockyard',
        }),
    }).catch((error: unknown) => {
      // Some commands read their own arguments, or files that a page assumes to exist.
      const options = rest.filter((word) => word.startsWith('--'));
      const isListed = CLI_USAGE.includes(`\n  ${verb} `);
      if (!isListed || !options.every((option) => CLI_USAGE.includes(option))) throw error;
    });
  }
}

/** A certificate that a page assumes to exist. */
function anAuthority(): string {
  const file = join(folder, 'ca.pem');
  if (existsSync(file)) return file;
  const make =
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=docs';
  const { status, stderr } = spawnSync('sh', ['-c', `${make} -keyout ${file}.key -out ${file}`]);
  if (status !== 0) throw new Error(String(stderr));
  return file;
}

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

describe('the pages', () => {
  test('link to files and headings that exist', () => {
    const broken: string[] = [];
    let count = 0;
    for (const page of PAGES) {
      for (const [, target = ''] of proseOf(page).matchAll(
        /(?:\]\(|(?:src|srcset)=")([^)"\s]+)/g,
      )) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : normalize(join(dirname(page), path));
        count += 1;
        if (!existsSync(join(root, file))) broken.push(`${page}: ${target}`);
        else if (anchor !== undefined && file.endsWith('.md') && !hasAnchor(file, anchor)) {
          broken.push(`${page}: ${target}`);
        }
      }
    }
    expect(broken).toEqual([]);
    expect(count).toBeGreaterThan(150);
  });

  test('begin with a README of at most 160 lines', () => {
    expect(pageText('README.md').split('\n').length).toBeLessThanOrEqual(161);
  });
});

function hasAnchor(page: string, anchor: string): boolean {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  return headings.some((heading) => anchorOf(heading) === anchor);
}

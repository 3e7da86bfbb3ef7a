import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

interface Component {
  name: string;
  version: string;
  group?: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

let text: string;
let components: Component[];
beforeAll(() => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/sbom.mjs'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(stderr);
  text = stdout;
  components = (JSON.parse(text) as { components: Component[] }).components;
});

test('the bill of materials is valid CycloneDX', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
  expect(await validator.validate(text)).toBeNull();
});

test('the bill of materials has every production dependency in its version, and no other', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: true; devOptional?: true }>;
  };
  const production = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  );
  const needed = production.map(
    ([path, { version }]) =>
      `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
  );
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(listed)].sort()).toEqual([...new Set(needed)].sort());
  expect(listed.length).toBeGreaterThan(250);
});

// It takes as long as the bill itself, and hardly ever changes.
if (process.env.TEST_LONG === '1') {
  test('a reader of the bill of materials may end early', () => {
    const { stdout, stderr } = spawnSync('sh', ['-c', 'npm run -s sbom | head -c 1'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['{', '']);
  });
}

/** Licences that require only that their text accompanies copies. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
];

test('every licence that requires more than its text is in the notices, with its package', () => {
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  const points = notices.split(/\n(?=- )/);
  const others = components.flatMap(({ name, licenses = [] }) => {
    const ids = licenses.flatMap(({ license, expression }) =>
      (license?.id ?? license?.name ?? expression ?? 'none').split(/ AND |[()]/).filter(Boolean),
    );
    expect(ids, name).not.toEqual([]);
    return ids.filter((id) => !PERMISSIVE.includes(id)).map((id) => ({ name, id }));
  });
  expect(others.length).toBeGreaterThan(3);
  const isNamed = ({ name, id }: { name: string; id: string }) =>
    // Of packages for one platform each, the common beginning of their names.
    points.some(
      (point) =>
        point.includes(id) &&
        point.includes(
          name.replace(
            /-(?:android|darwin|freebsd|linux|linuxmusl|win32|wasm32|webcontainers)\b.*$/,
            '',
          ),
        ),
    );
  expect(others.filter((each) => !isNamed(each))).toEqual([]);
});

test('each font is in the notices with its copyright, and with the text of its licence', () => {
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8').replace(/\s+/g, ' ');
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const fonts = Object.keys(dependencies).filter((name) => name.startsWith('@fontsource'));
  expect(fonts).toHaveLength(2);
  for (const font of fonts) {
    const file = `node_modules/${font}/LICENSE`;
    const licence = readFileSync(join(root, file), 'utf8');
    expect(licence).toContain('SIL OPEN FONT LICENSE Version 1.1');
    const [, holders = '?'] = /^Copyright \d{4} (.+? Authors)/m.exec(licence) ?? [];
    expect(notices).toContain(`© ${holders}`);
    expect(notices).toContain(file);
  }
});

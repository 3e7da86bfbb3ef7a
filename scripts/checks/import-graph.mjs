import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Reads what TypeScript files import: a map from path (relative to `root`, with slashes) to `{
 * text, imports: [{ specifier, target, typeOnly }] }`; `target` is the imported file of this
 * repository, null for a package.
 */
export function readImportGraph(root, folders) {
  const paths = folders.flatMap((folder) => sourceFiles(root, folder));
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  return importGraph(texts);
}

/** The same for texts that have already been read. */
export function importGraph(texts) {
  return new Map(
    [...texts].map(([path, text]) => {
      const imports = importsIn(path, text).map((found) => ({
        ...found,
        target: targetOf(path, found.specifier, texts),
      }));
      return [path, { text, imports }];
    }),
  );
}

function sourceFiles(root, folder) {
  if (!statSync(join(root, folder), { throwIfNoEntry: false })) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return /^(dist|node_modules|\..*)$/.test(entry.name) ? [] : sourceFiles(root, path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function importsIn(path, text) {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const statics = module.staticImports.map((found) => ({
    specifier: found.moduleRequest.value,
    typeOnly: found.entries.length > 0 && found.entries.every((entry) => entry.isType),
  }));
  const reexports = module.staticExports
    .flatMap((found) => found.entries)
    .filter((entry) => entry.moduleRequest)
    .map((entry) => ({ specifier: entry.moduleRequest.value, typeOnly: entry.isType }));
  const dynamics = module.dynamicImports.map(({ moduleRequest }) => ({
    specifier: text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
    typeOnly: false,
  }));
  return [...statics, ...reexports, ...dynamics];
}

function targetOf(path, specifier, texts) {
  const base = specifier.startsWith('@/')
    ? specifier.slice(2)
    : specifier.startsWith('.')
      ? posix.join(dirname(path), specifier)
      : null;
  if (base === null) return null;
  const stem = base.replace(/\.[cm]?js$/, '');
  const candidates = [base, `${stem}.ts`, `${stem}.tsx`, `${stem}/index.ts`, `${stem}/index.tsx`];
  return candidates.find((candidate) => texts.has(candidate)) ?? base;
}

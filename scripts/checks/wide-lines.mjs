import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const columnsAtMost = 100;
const sourceFile = /\.(tsx?|m?js|css|go|java|py|sh)$/;
const ignoredFolders = /^(\..*|__pycache__|coverage|dist|node_modules|target)$/;

/** Lines that cannot be broken, however long they are. */
const unbreakable = [
  // The formatter does not break a list of classes, and a line break in it would be served.
  /\bclassName=/,
  // A regular expression alone on its line.
  /^\s*\/(?![/*]).*\/[a-z]*[,;)]*$/,
  // One word, such as a URL.
  /^\s*\S+( \+)?$/,
];

/** A space before an element, which the formatter adds to a line that is already full. */
const addedSpace = /\{' '\}$/;

/** One line for each line of a source file that is too wide, whatever its language. */
export function wideLineViolations(root) {
  return sourceFiles(root, '').flatMap((path) =>
    wideLines(path, readFileSync(join(root, path), 'utf8')),
  );
}

/** The same for the text of one file. */
export function wideLines(path, text) {
  return text
    .split('\n')
    .flatMap((line, at) =>
      isTooWide(line) ? [`${path}:${at + 1}: over ${columnsAtMost} columns`] : [],
    );
}

const isTooWide = (line) =>
  [...line.replace(addedSpace, '')].length > columnsAtMost &&
  !unbreakable.some((pattern) => pattern.test(line));

/** The paths of all source files, with slashes, without what is built or installed. */
function sourceFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) return ignoredFolders.test(entry.name) ? [] : sourceFiles(root, path);
    return entry.isFile() && sourceFile.test(path) ? [path] : [];
  });
}

import { resolve } from 'node:path';

/**
 * The words of a command, with any file path among them resolved in the caller's folder.
 *
 * @param {string[]} words after the program's name
 * @param {string} folder the caller's
 * @returns {string[]}
 */
export function withFileFrom(words, folder) {
  const from = (file) => (/^-?$/.test(file) ? file : resolve(folder, file));
  // Options of every command, such as --json, may come before its name.
  const named = words.findIndex((word) => !word.startsWith('-'));
  const [verb, ...rest] = named < 0 ? [] : words.slice(named);
  const before = words.slice(0, named + 1);
  if (verb === 'backup' || verb === 'restore') {
    const isFile = (word, at) => !word.startsWith('-') && rest[at - 1] !== '--quiet';
    return [...before, ...rest.map((word, at) => (isFile(word, at) ? from(word) : word))];
  }
  if (verb !== 'apply') return words;
  const isValue = (at) => /^(-f|--file)$/.test(rest[at - 1] ?? '');
  const found = rest.map((word, at) => {
    const [, option, file] = /^(--file=|-f)(.+)$/.exec(word) ?? [];
    if (file) return option + from(file);
    return isValue(at) && !word.startsWith('-') ? from(word) : word;
  });
  return [...before, ...found];
}

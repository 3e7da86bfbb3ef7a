import { basename } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Words of names for which docs/glossary.md has the usual technical term. */
const retired = new Set(
  (
    'afresh anew beat board boards born chore chores door doors flusher had intake joined ' +
    'judge kept lane lapsed lean life machine memo memos mend mended mending nobody norms ' +
    'oblivion overdue paced pulse recall somebody spread standing stands stranger strangers ' +
    'surplus survey tag tell tenure told twin twins weigh whoever withdraw words'
  ).split(' '),
);

/** Words that a comment or a text must replace by the name of its subject. */
const vague = /\b(whoever|anew|nobody|somebody|stands|told)\b/i;

/** Names of the code, which a comment may cite. */
const citedNames = /`[^`]*`|@param \S+/g;

/** Names that come from outside, such as from APIs and packages. */
const givenNames = /^(isBeyondThisMachine)$/;

/** The first retired word in a file's name, its exported names, its comments or its texts. */
export function retiredWordIn(path, text) {
  const stem = basename(path).replace(/\..*$/, '');
  const { program, comments } = parseSync(path, text);
  for (const name of [stem, ...exportedNames(program)]) {
    const word = wordsOf(name).find((each) => retired.has(each));
    if (word && !givenNames.test(name)) return `"${name}" says "${word}": see docs/glossary.md`;
  }
  for (const { value } of comments) {
    const [word] = vague.exec(value.replaceAll(citedNames, '')) ?? [];
    if (word) return `a comment says "${word.toLowerCase()}" instead of naming its subject`;
  }
  if (!vague.test(text)) return null;
  for (const value of textsIn(program)) {
    const [word] = vague.exec(value) ?? [];
    // One word alone may be a value of the wire.
    if (word && word !== value)
      return `"${value.trim().slice(0, 40)}" says "${word.toLowerCase()}"`;
  }
  return null;
}

const wordsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

function exportedNames({ body }) {
  return body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || !declaration) return [];
    const { declarations, id } = declaration;
    return declarations ? declarations.map((each) => each.id.name ?? '') : [id?.name ?? ''];
  });
}

/** Every string, template and piece of JSX text. */
function* textsIn(node) {
  if (Array.isArray(node)) for (const each of node) yield* textsIn(each);
  else if (node && typeof node === 'object') {
    if (node.type === 'JSXText' || node.type === 'Literal') {
      if (typeof node.value === 'string') yield node.value;
    } else if (node.type === 'TemplateElement') yield node.value.cooked ?? node.value.raw;
    for (const [key, value] of Object.entries(node)) if (key !== 'loc') yield* textsIn(value);
  }
}

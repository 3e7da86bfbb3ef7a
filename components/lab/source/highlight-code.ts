/** A piece of source and how it is drawn. */
export interface CodePiece {
  text: string;
  kind: 'plain' | 'comment' | 'text' | 'keyword' | 'number';
}

const KEYWORDS =
  'abstract as async await break case catch class const constructor continue default delete do ' +
  'else enum export extends false finally for from function if implements import in instanceof ' +
  'interface is keyof let new null of private protected public readonly return satisfies static ' +
  'super switch this throw true try type typeof undefined var void while yield';

/** Comments, texts, numbers and words of TypeScript, whichever begins first. */
const PIECE = new RegExp(
  [
    String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)`,
    // A template counts as one text: the SQL and Lua of these files are in templates.
    String.raw`(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\x60(?:\\.|[^\x60\\])*\x60)`,
    String.raw`(?<number>\b\d[\d_.]*\b)`,
    String.raw`(?<word>[A-Za-z_$][\w$]*)`,
  ].join('|'),
  'g',
);

const isKeyword = new Set(KEYWORDS.split(' '));

/** Splits TypeScript into pieces to be coloured; joined, they are the source again. */
export function highlightCode(source: string): CodePiece[] {
  const pieces: CodePiece[] = [];
  const add = (text: string, kind: CodePiece['kind']) => {
    const last = pieces.at(-1);
    if (text === '') return;
    if (last?.kind === kind) last.text += text;
    else pieces.push({ text, kind });
  };
  let end = 0;
  for (const match of source.matchAll(PIECE)) {
    const [text] = match;
    add(source.slice(end, match.index), 'plain');
    add(text, kindOf(match.groups ?? {}));
    end = match.index + text.length;
  }
  add(source.slice(end), 'plain');
  return pieces;
}

function kindOf({ comment, text, number, word }: Record<string, string | undefined>) {
  if (comment !== undefined) return 'comment';
  if (text !== undefined) return 'text';
  if (number !== undefined) return 'number';
  return word !== undefined && isKeyword.has(word) ? 'keyword' : 'plain';
}

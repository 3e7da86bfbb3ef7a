/** A stretch of a name as drawn. Marked: something invisible, drawn as a labelled box. */
export interface NamePiece {
  text: string;
  mark: boolean;
}

/** A name in two parts: the head may be cut; the tail, which tells siblings apart, is kept. */
export interface VisibleName {
  head: NamePiece[];
  tail: NamePiece[];
}

/** In columns of a monospaced letter, as the style sheet counts them. */
const TAIL_WIDTH = 10;
/** Too short to be worth cutting. */
const WHOLE_WIDTH = 14;

const MARKS: Record<string, string> = { ' ': 'SP', '\t': 'TAB', '\n': 'LF', '\r': 'CR' };

/**
 * Control, format (zero width, direction), private and unassigned characters, every space but the
 * plain one, and what Unicode lets a font leave out: fillers, selectors, the empty Braille cell.
 */
const INVISIBLE = /^[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]$/u;

/** How a picture is drawn, in colour or in black: it can be seen. */
const PICTURE_STYLE = /^[\ufe0e\ufe0f]$/;
const PICTURE = /^\p{Extended_Pictographic}$/u;

function markOf(cell: string, before: string | undefined, atEdge: boolean): string | null {
  if (cell === ' ') return atEdge ? 'SP' : null;
  if (PICTURE_STYLE.test(cell) && before && PICTURE.test(before)) return null;
  const known = MARKS[cell];
  if (known) return known;
  if (!INVISIBLE.test(cell)) return null;
  return `U+${(cell.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function join(cells: NamePiece[]): NamePiece[] {
  const pieces: NamePiece[] = [];
  for (const cell of cells) {
    const last = pieces.at(-1);
    if (last && !last.mark && !cell.mark) last.text += cell.text;
    else pieces.push({ ...cell });
  }
  return pieces;
}

/** Each character, or its mark. */
function cellsOf(text: string): NamePiece[] {
  const characters = [...text];
  const begin = characters.findIndex((character) => character !== ' ');
  const end = characters.findLastIndex((character) => character !== ' ');
  return characters.map((character, place): NamePiece => {
    const atEdge = begin === -1 || place < begin || place > end;
    const mark = markOf(character, characters[place - 1], atEdge);
    return { text: mark ?? character, mark: mark !== null };
  });
}

/** A text for drawing. Outer spaces and invisible characters become marks; none is dropped. */
export const visiblePieces = (text: string): NamePiece[] => join(cellsOf(text));

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The same as plain text: for a title, an attribute, the middle of a sentence. Marks are put in
 * brackets: `job[U+202E]`. A text with right-to-left letters is isolated, so that it reorders
 * nothing beside it.
 */
export function visibleText(text: string): string {
  const shown = cellsOf(text)
    .map((cell) => (cell.mark ? `[${cell.text}]` : cell.text))
    .join('');
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}

/** Splits a name for drawing, as `visiblePieces` draws it. */
export function visibleName(name: string): VisibleName {
  const cells = cellsOf(name);
  const cut = cutOf(cells);
  return { head: join(cells.slice(0, cut)), tail: join(cells.slice(cut)) };
}

/** Where the tail begins: with the last parts that fit its width; 0 if the name is short. */
function cutOf(cells: NamePiece[]): number {
  const widths = cells.map(widthOf);
  let left = TAIL_WIDTH;
  let cut = cells.length;
  if (widths.reduce((sum, width) => sum + width, 0) <= WHOLE_WIDTH) return 0;
  while (cut > 0 && (widths[cut - 1] ?? 0) <= left) left -= widths[--cut] ?? 0;
  while (cut > 0 && isJoined(cells[cut]?.text)) cut--;
  return cut;
}

const WIDE =
  /^[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff01-\uff60]$/u;

/** How many columns it takes, about: a mark has its label in smaller letters, and a frame. */
function widthOf({ text, mark }: NamePiece): number {
  if (mark) return text.length;
  if (isJoined(text)) return 0;
  return WIDE.test(text) ? 2 : 1;
}

/** A combining mark or a skin tone belongs to the character before it. */
function isJoined(character: string | undefined): boolean {
  return character !== undefined && /^[\p{M}\p{Emoji_Modifier}]$/u.test(character);
}

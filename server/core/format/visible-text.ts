/** A piece of a name as drawn. `mark`: an invisible character, drawn as a labelled box. */
export interface NamePiece {
  text: string;
  mark: boolean;
}

const MARKS: Record<string, string> = { ' ': 'SP', '\t': 'TAB', '\n': 'LF', '\r': 'CR' };

/**
 * Control, format (zero width, direction), private and unassigned characters, every space but the
 * plain one, and characters that a font may ignore: fillers, selectors, the empty Braille cell.
 */
const INVISIBLE = /^[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]$/u;

/** Selectors that draw an emoji in colour or in black: they have a visible effect. */
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

/** The text as characters, with marks for the invisible ones. */
export function cellsOf(text: string): NamePiece[] {
  const characters = [...text];
  const begin = characters.findIndex((character) => character !== ' ');
  const end = characters.findLastIndex((character) => character !== ' ');
  return characters.map((character, place): NamePiece => {
    const atEdge = begin === -1 || place < begin || place > end;
    const mark = markOf(character, characters[place - 1], atEdge);
    return { text: mark ?? character, mark: mark !== null };
  });
}

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The text with marks in brackets, such as `job[U+202E]`: for a title, an attribute, the middle of
 * a sentence. A text with right-to-left letters is isolated, so that it does not reorder the text
 * around it.
 */
export function visibleText(text: string): string {
  const shown = cellsOf(text)
    .map((cell) => (cell.mark ? `[${cell.text}]` : cell.text))
    .join('');
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}

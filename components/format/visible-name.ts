import { cellsOf, type NamePiece } from '@/server/core/format/visible-text';

/** A name in two parts: the head may be cut; the tail, where similar names differ, is kept. */
export interface VisibleName {
  head: NamePiece[];
  tail: NamePiece[];
}

/** In columns of the monospaced font, the same as in the style sheet. */
const TAIL_WIDTH = 10;
/** A name of up to this width is not cut. */
const WHOLE_WIDTH = 14;

function join(cells: NamePiece[]): NamePiece[] {
  const pieces: NamePiece[] = [];
  for (const cell of cells) {
    const last = pieces.at(-1);
    if (last && !last.mark && !cell.mark) last.text += cell.text;
    else pieces.push({ ...cell });
  }
  return pieces;
}

/** A text for drawing. Outer spaces and invisible characters become marks; none is dropped. */
export const visiblePieces = (text: string): NamePiece[] => join(cellsOf(text));

/** The parts of a name, each with the characters that divide it from the next one. */
export const partsOf = (name: string): string[] =>
  name.match(/[^/:._-]*[/:._-]+|[^/:._-]+/gu) ?? [];

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

/** About how many columns it takes: a mark has its label in smaller letters, and a frame. */
function widthOf({ text, mark }: NamePiece): number {
  if (mark) return text.length;
  if (isJoined(text)) return 0;
  return WIDE.test(text) ? 2 : 1;
}

/** A combining mark or a skin tone belongs to the character before it. */
function isJoined(character: string | undefined): boolean {
  return character !== undefined && /^[\p{M}\p{Emoji_Modifier}]$/u.test(character);
}

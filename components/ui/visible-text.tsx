import { type NamePiece, visiblePieces } from '../format/visible-name';

/** Pieces of a text, those that could not be seen as labelled boxes. */
export function Pieces({ pieces }: { pieces: NamePiece[] }) {
  return pieces.map(({ text, mark }, place) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one name never change places
    if (!mark) return <span key={place}>{text}</span>;
    return (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one name never change places
        key={place}
        className="mx-px rounded-4 border border-line2 px-[3px] text-[0.82em] text-t2"
      >
        {text}
      </span>
    );
  });
}

/**
 * A text from a caller or an operator inside our own: every character is visible, and none reorders
 * its surroundings.
 */
export function VisibleText({ text }: { text: string }) {
  return (
    <bdi className="whitespace-pre-wrap">
      <Pieces pieces={visiblePieces(text)} />
    </bdi>
  );
}

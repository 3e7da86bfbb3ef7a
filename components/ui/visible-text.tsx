import { type NamePiece, visibleName, visiblePieces, visibleText } from '../format/visible-name';

/** Pieces of a text, those that could not be seen as labelled boxes. */
function Pieces({ pieces }: { pieces: NamePiece[] }) {
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

/** A foreign text inside ours: every character is visible, and none reorders what is around it. */
export function VisibleText({ text }: { text: string }) {
  return (
    <bdi className="whitespace-pre-wrap">
      <Pieces pieces={visiblePieces(text)} />
    </bdi>
  );
}

interface NameProps {
  name: string;
  className?: string;
}

/** A foreign name: every byte visible, cut in the middle if too long, whole on hover. */
export function ExactName({ name, className = '' }: NameProps) {
  const { head, tail } = visibleName(name);
  return (
    <bdi
      title={visibleText(name)}
      className={`inline-flex min-w-0 max-w-full whitespace-pre font-mono ${className}`}
    >
      {head.length > 0 && (
        <span className={isEven(tail) ? 'name-head' : 'name-head name-head-free'}>
          <Pieces pieces={head} />
        </span>
      )}
      <span className="shrink-0">
        <Pieces pieces={tail} />
      </span>
    </bdi>
  );
}

/** Whether a tail is ten plain letters: then the head can be cut between two of its own. */
const isEven = ([only, ...others]: NamePiece[]) =>
  others.length === 0 && only?.mark === false && /^[ -~]{10}$/.test(only.text);

/** The same, never cut: it takes as many lines as it needs. */
export function WholeName({ name, className = '' }: NameProps) {
  return (
    <bdi className={`min-w-0 font-mono whitespace-pre-wrap break-all ${className}`}>
      <Pieces pieces={visiblePieces(name)} />
    </bdi>
  );
}

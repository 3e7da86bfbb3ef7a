import { type NamePiece, visibleName } from '../format/visible-name';

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

interface NameProps {
  name: string;
  className?: string;
}

/** A name of somebody else's making: every byte seen, cut in the middle where it is too long, whole on hover. */
export function ExactName({ name, className = '' }: NameProps) {
  const { head, tail } = visibleName(name);
  return (
    <bdi
      title={name}
      className={`inline-flex min-w-0 max-w-full whitespace-pre font-mono ${className}`}
    >
      {head.length > 0 && (
        <span className="name-head">
          <Pieces pieces={head} />
        </span>
      )}
      <span className="shrink-0">
        <Pieces pieces={tail} />
      </span>
    </bdi>
  );
}

/** The same, never cut: it takes as many lines as it needs. */
export function WholeName({ name, className = '' }: NameProps) {
  const { head, tail } = visibleName(name);
  return (
    <bdi className={`min-w-0 font-mono whitespace-pre-wrap break-all ${className}`}>
      <Pieces pieces={head} />
      <Pieces pieces={tail} />
    </bdi>
  );
}

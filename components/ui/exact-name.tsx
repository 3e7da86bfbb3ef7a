import { type NamePiece, visibleName, visiblePieces, visibleText } from '../format/visible-name';
import { Pieces } from './visible-text';

interface NameProps {
  name: string;
  className?: string;
}

/**
 * A name chosen by a caller or an operator: every byte visible, cut in the middle where it is too
 * long, whole on hover.
 */
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

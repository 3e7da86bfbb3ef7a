import { type NamePiece, visibleText } from '@/server/core/format/visible-text';
import { visibleName, visiblePieces } from '../format/visible-name';

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

/** A foreign text inside ours: every character is visible, and none reorders the text around it. */
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

/**
 * A foreign name: every byte visible, cut in the middle if too long, whole on hover, when copied
 * and when read aloud. Its two parts are inline, so that no line break is copied between them, and
 * hidden from assistive technology, which would read them as two words.
 */
export function ExactName({ name, className = '' }: NameProps) {
  const { head, tail } = visibleName(name);
  if (head.length === 0) {
    return (
      <bdi title={visibleText(name)} className={`exact-name font-mono ${className}`}>
        <Pieces pieces={tail} />
      </bdi>
    );
  }
  const isPlain = isEven(tail);
  return (
    <bdi title={visibleText(name)} className={`exact-name font-mono ${className}`}>
      <span className="name-aloud sr-only" data-name={visibleText(name)} />
      <span aria-hidden="true" className={isPlain ? 'name-head' : 'name-head name-head-free'}>
        <Pieces pieces={head} />
      </span>
      <span aria-hidden="true" className={isPlain ? '' : 'name-tail-free'}>
        <Pieces pieces={tail} />
      </span>
    </bdi>
  );
}

/** Whether a tail is ten plain letters: then the head can be cut between two of its own. */
const isEven = ([only, ...others]: NamePiece[]) =>
  others.length === 0 && only?.mark === false && /^[ -~]{10}$/.test(only.text);

/** Longer words may be broken at the end of a line, so that no gap is left before them. */
const LONGEST_WHOLE = 28;

/** A sentence of ours with names and tokens in it: no line breaks at a hyphen or an ellipsis. */
export function UnbrokenNames({ text }: { text: string }) {
  return text.split(/([^ ]*[-…][^ ]*)/).map((part, place) =>
    place % 2 === 0 || part.length > LONGEST_WHOLE ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of one sentence never change places
      <span key={place} className="whitespace-nowrap">
        {part}
      </span>
    ),
  );
}

/** The longest name that takes about two lines of a column. */
const LONGEST_WRAPPED = 48;

/** A foreign name in a narrow column: it takes two lines before it is cut in the middle. */
export function WrappedName({ name, className = '' }: NameProps) {
  if (name.length > LONGEST_WRAPPED) return <ExactName name={name} className={className} />;
  return (
    <bdi className={`min-w-0 font-mono whitespace-pre-wrap [overflow-wrap:anywhere] ${className}`}>
      <Pieces pieces={visiblePieces(name)} />
    </bdi>
  );
}

/** A foreign name that is never cut: it takes as many lines as it needs. */
export function WholeName({ name, className = '' }: NameProps) {
  return (
    <bdi className={`min-w-0 font-mono whitespace-pre-wrap break-all ${className}`}>
      <Pieces pieces={visiblePieces(name)} />
    </bdi>
  );
}

import { Fragment } from 'react';
import { type NamePiece, visibleText } from '@/server/core/format/visible-text';
import { partsOf, visibleName, visiblePieces } from '../format/visible-name';

/**
 * Pieces of a text, those that could not be seen as labelled boxes.
 *
 * @param mayBreak a line may end behind any of the characters that divide names into parts
 */
function Pieces({ pieces, mayBreak = false }: { pieces: NamePiece[]; mayBreak?: boolean }) {
  return pieces.map(({ text, mark }, place) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one name never change places
    if (!mark) return <span key={place}>{mayBreak ? <Parts text={text} /> : text}</span>;
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

const Parts = ({ text }: { text: string }) =>
  partsOf(text).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one name never change places
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));

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
  return <WholeName name={name} className={className} />;
}

/**
 * A foreign name that is never cut: it takes as many lines as it needs, and breaks between two of
 * its parts if it can. Screen readers would pause wherever it may break, so they get a text of
 * their own.
 */
export function WholeName({ name, className = '' }: NameProps) {
  const look = `relative min-w-0 font-mono whitespace-pre-wrap wrap-anywhere ${className}`;
  if (partsOf(name).length <= 1) {
    return (
      <bdi className={look}>
        <Pieces pieces={visiblePieces(name)} />
      </bdi>
    );
  }
  return (
    <bdi title={visibleText(name)} className={look}>
      <span className="name-aloud sr-only" data-name={visibleText(name)} />
      <span aria-hidden="true">
        <Pieces pieces={visiblePieces(name)} mayBreak />
      </span>
    </bdi>
  );
}

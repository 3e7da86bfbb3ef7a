import { Fragment } from 'react';
import { keepUnits } from '../format/numbers';

/** Code longer than this may be broken over two lines. */
const LONG_CHARS = 30;

/** Text with `code` and **bold**, as in the API's descriptions. */
export function RichText({ text }: { text: string }) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, place) => {
    // The parts of one constant text never change places.
    const key = `${place}`;
    if (part.startsWith('`')) {
      return (
        <code key={key} className="docs-code" data-long={part.length > LONG_CHARS}>
          {part.slice(1, -1)}
        </code>
      );
    }
    if (part.startsWith('**')) {
      return (
        <strong key={key} className="font-[620] text-t1">
          {part.slice(2, -2)}
        </strong>
      );
    }
    return <Fragment key={key}>{keepUnits(part)}</Fragment>;
  });
}

import { revText } from '../format/numbers';

/** A lock's version, short; whole on hover. */
export function Rev({ rev }: { rev: number }) {
  return (
    <span className="whitespace-nowrap" title={`Rev ${rev}`}>
      rev {revText(rev)}
    </span>
  );
}

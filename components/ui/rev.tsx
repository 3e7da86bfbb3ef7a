import { revText } from '../format/tokens';

/** A lock's version, short; whole on hover. */
export function Rev({ rev }: { rev: number }) {
  return (
    <span className="whitespace-nowrap" title={`Rev ${rev}`}>
      rev {revText(rev)}
    </span>
  );
}

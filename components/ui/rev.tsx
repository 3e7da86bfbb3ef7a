/** A rev in full, since dialogs ask to compare it. */
export function Rev({ rev }: { rev: number }) {
  return (
    <span className="whitespace-nowrap">
      rev <span className="font-mono">{rev}</span>
    </span>
  );
}

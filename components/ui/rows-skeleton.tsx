/** Placeholders for rows that are still loading. */
export function RowsSkeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div className="after-a-moment px-3.5 py-1" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={row} className="flex h-10 items-center gap-6">
          <span className="bone h-3 w-36" />
          <span className="bone h-3 w-56 max-sm:hidden" />
          <span className="bone ml-auto h-3 w-20" />
        </div>
      ))}
    </div>
  );
}

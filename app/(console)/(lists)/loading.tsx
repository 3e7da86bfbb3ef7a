const ROWS = 18;

export default function Loading() {
  return (
    <div className="after-a-moment flex-1 overflow-hidden" aria-hidden="true">
      <div className="h-[82px] border-line border-b" />
      <div className="h-11 border-line border-b" />
      {Array.from({ length: ROWS }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          key={row}
          className="flex h-[30px] items-center gap-8 border-line border-b px-[var(--gutter)] max-md:h-[90px]"
        >
          <span className="bone h-3 w-24" />
          <span className="bone h-3 w-64 max-w-[40%]" />
          <span className="bone h-3 w-40 max-md:hidden" />
          <span className="bone ml-auto h-3 w-20" />
        </div>
      ))}
    </div>
  );
}

import type { ReactNode } from 'react';

/** A chart's title, the legend of its lines, and its figures for the whole range. */
export function ChartHead({
  title,
  lines = [],
  children,
}: {
  title: string;
  lines?: { word: string; ink: string; isDashed: boolean }[];
  children: ReactNode;
}) {
  return (
    <div className="chart-head">
      <h3>{title}</h3>
      {lines.map(({ word, ink, isDashed }) => (
        <span key={word} className="flex items-baseline gap-1.5">
          <svg
            aria-hidden="true"
            width="14"
            height="4"
            viewBox="0 0 14 4"
            className="self-center"
            style={{ color: ink }}
          >
            <path
              d="M0 2H14"
              stroke="currentColor"
              strokeWidth="2"
              strokeDasharray={isDashed ? '3 2.5' : undefined}
            />
          </svg>
          {word}
        </span>
      ))}
      <span className="chart-figures">{children}</span>
    </div>
  );
}

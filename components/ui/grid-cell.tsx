import type { ReactNode } from 'react';

/** A cell of a grid with rows of any shape. `name` tells the style sheet where it goes. */
export function GridCell({
  name,
  className,
  title,
  children,
}: {
  name: string;
  className?: string;
  title?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: folds into lines on a phone
    // biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus, not its cells
    <div role="gridcell" data-cell={name} className={className} title={title}>
      {children}
    </div>
  );
}

'use client';

import type { SelectionControls } from './use-selection';

/** Shows the checkboxes of rows on a phone, and takes them away; wider screens always have them. */
export function SelectButton({ selecting }: { selecting: SelectionControls }) {
  const { isSelecting, begin, clear } = selecting;
  return (
    <button
      type="button"
      className="chip shrink-0 md:hidden"
      aria-pressed={isSelecting}
      data-set={isSelecting}
      onClick={isSelecting ? clear : begin}
    >
      Select
    </button>
  );
}

'use client';

import type { SelectionControls } from './use-selection';

/** A checkbox that selects a row, or all rows. */
export function SelectBox({
  label,
  title,
  isChecked,
  isMixed = false,
  onSelect,
}: {
  label: string;
  title?: string;
  isChecked: boolean;
  /** Some of its rows are selected. */
  isMixed?: boolean;
  onSelect: (isSelected: boolean, isRange: boolean) => void;
}) {
  return (
    <label className="select-box" title={title}>
      <input
        ref={(input) => {
          if (input) input.indeterminate = isMixed;
        }}
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        onChange={({ target, nativeEvent }) =>
          onSelect(target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </label>
  );
}

/** Selects all rows that are loaded and may be selected. */
export function SelectAllBox({
  selecting: { loaded, selectLoaded },
  ...labels
}: {
  selecting: SelectionControls;
  label: string;
  title?: string;
}) {
  return (
    <SelectBox
      {...labels}
      isChecked={loaded === 'all'}
      isMixed={loaded === 'some'}
      onSelect={selectLoaded}
    />
  );
}

/** Shows and hides the checkboxes of rows on a phone; wider screens always have them. */
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

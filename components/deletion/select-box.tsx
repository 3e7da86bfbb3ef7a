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
  /** Some of those that it is about are selected. */
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

import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../icons/icon';
import { VisibleText } from '../visible-text';

/** A filter that can be set: the trigger of a menu. */
export function MenuChip({ label, value = 'any', ...rest }: { label: string; value?: string }) {
  return (
    <button type="button" className="chip shrink-0" {...rest}>
      <span>
        {label}
        <span className={value === 'any' ? 'max-md:sr-only' : ''}>
          : <b>{value}</b>
        </span>
      </span>
      <Icon name="chevron-down" size={13} className="text-t3" />
    </button>
  );
}

/** A filter that is set; a click takes it away. */
export function FilterChip({
  label,
  value,
  onClear,
}: {
  label: string;
  value: string;
  onClear: () => void;
}) {
  return (
    <button
      type="button"
      className="chip shrink-0"
      data-set="true"
      onClick={onClear}
      aria-label={`Remove filter: ${label} = ${visibleText(value)}`}
    >
      {label}:{' '}
      <b className="max-w-48 truncate">
        <VisibleText text={value} />
      </b>
      <Icon name="close" size={13} />
    </button>
  );
}

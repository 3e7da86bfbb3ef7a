import { useId } from 'react';
import type { BackendHealth } from '@/server/contract/console/backend-health';

/** Chooses a backend; offers the default one alone, and says so, where the others are unknown. */
export function BackendSelect({
  backends,
  isFailing,
}: {
  /** Undefined while they are not known. */
  backends: Pick<BackendHealth, 'id' | 'kind'>[] | undefined;
  /** They could not be read, and none are known from before. */
  isFailing: boolean;
}) {
  const id = useId();
  const options = backends?.map((each) => [each.id, `${each.id} (${each.kind})`] as const);
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-[550]">
        Backend
      </label>
      <select
        id={id}
        name="backend"
        className="field"
        defaultValue="default"
        required
        aria-describedby={isFailing ? `${id}-failure` : undefined}
      >
        {(options ?? [['default', 'default']]).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {isFailing && (
        <p id={`${id}-failure`} className="mt-1 text-12 text-dangertext">
          The other backends could not be loaded
        </p>
      )}
    </div>
  );
}

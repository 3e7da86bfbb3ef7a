import type { BackendHealth } from '@/server/contract/console/backend-health';
import { storeLabel } from '../backends/store-label';
import { PlaceSelect } from './place-select';

/** Chooses a backend; if the others are unknown, offers only the default one and says so. */
export function BackendSelect({
  backends,
  isFailing,
}: {
  /** Undefined while they are not known. */
  backends: Pick<BackendHealth, 'id' | 'kind'>[] | undefined;
  /** They could not be read, and none are known from before. */
  isFailing: boolean;
}) {
  const options = backends?.map(
    (each) => [each.id, `${each.id} (${storeLabel(each.kind)})`] as const,
  );
  return (
    <PlaceSelect
      label="Backend"
      name="backend"
      defaultValue="default"
      required
      failure={isFailing ? 'The other backends could not be loaded' : null}
    >
      {(options ?? [['default', 'default']]).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </PlaceSelect>
  );
}

import { useReadBackends } from '../live/reading';
import { BackendGlyph } from '../ui/backend-glyph';

/** Which backend a lock is on, where there is more than one. */
export function BackendMark({ id }: { id: string }) {
  return useReadBackends() > 1 && <BackendGlyph id={id} />;
}

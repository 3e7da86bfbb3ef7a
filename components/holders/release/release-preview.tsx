import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { ExactName } from '../../ui/visible-text';
import { AfterRelease } from './after-release';
import { isReleasedBy, type ReleaseResult, resultText } from './release-plan';

/** What happens to each lock of a process if it is released, and then how its release went. */
export function ReleasePreview({
  locks,
  results,
}: {
  locks: HeldLock[];
  /** By the index of each lock; absent: not tried yet. */
  results: ReadonlyMap<number, ReleaseResult>;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach it to scroll
    <ul className="release-preview" aria-label="What happens to each lock" tabIndex={0}>
      {locks.map((lock, place) => {
        const result = results.get(place);
        const isBad = result !== undefined && !isReleasedBy(result);
        return (
          <li key={`${lock.namespace} ${lock.name} ${lock.token}`}>
            <ExactName name={lock.name} className="text-12" />
            <span className="text-12 text-t3">
              {lock.namespace} · {lock.backend}
            </span>
            <span className={`release-result ${isBad ? 'text-dangertext' : 'text-t2'}`}>
              {result ? resultText(result) : <AfterRelease lock={lock} />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

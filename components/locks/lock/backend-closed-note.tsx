import Link from 'next/link';
import { Icon } from '../../icons/icon';
import { useClosedRow } from '../../shell/use-guarantees';

/** Above a lock whose backend grants nothing: why it stays free, or its waiters wait. */
export function BackendClosedNote({ backend }: { backend: string }) {
  const servesNothing = useClosedRow(backend)?.reading?.servesNothing ?? false;
  return (
    <p
      role="status"
      className="mt-1 flex items-start gap-2.5 rounded-10 bg-danger-tint px-3.5 py-2.5"
    >
      <Icon name="alert-octagon" size={16} className="mt-0.5 text-dangertext" />
      <span>
        Backend {backend} is not granting locks.{' '}
        {servesNothing
          ? 'Renewals and releases are unavailable too.'
          : 'Existing holds and queue positions are kept.'}{' '}
        <Link href="/backends" className="link rounded-4">
          Details
        </Link>
      </span>
    </p>
  );
}

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
        The backend {backend} grants nothing at the moment.{' '}
        {servesNothing
          ? 'Nothing can be renewed or released there either.'
          : 'What is held goes on, and who waits keeps the place.'}{' '}
        <Link href="/backends" className="link rounded-4">
          Why, and what to do
        </Link>
      </span>
    </p>
  );
}

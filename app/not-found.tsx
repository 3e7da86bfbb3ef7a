import { AuthFrame } from '@/components/auth/auth-frame';
import { NearLink } from '@/components/navigation/near-link';

/** Links to pages that may have what was looked for. */
const PLACES = [
  { href: '/', label: 'Locks' },
  { href: '/counters', label: 'Counters' },
  { href: '/insights', label: 'Incidents' },
  { href: '/namespaces', label: 'Namespaces' },
];

export default function NotFound() {
  return (
    <AuthFrame
      title="Page not found"
      intro="There is nothing at this address. What it names may have been deleted, or be older than the history that is kept."
    >
      <p className="mt-6 flex flex-wrap gap-3">
        {PLACES.map(({ href, label }) => (
          <NearLink key={href} href={href} className="button" data-size="large">
            {label}
          </NearLink>
        ))}
      </p>
    </AuthFrame>
  );
}

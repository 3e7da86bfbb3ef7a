import type { Metadata } from 'next';
import { AuthFrame } from '@/components/auth/auth-frame';
import { MissingNote } from '@/components/navigation/missing-note';

/** Pages that may have what was looked for. Plain links, since every page loads their code. */
const PLACES = [
  { href: '/', label: 'Locks' },
  { href: '/counters', label: 'Counters' },
  { href: '/insights', label: 'Incidents' },
  { href: '/namespaces', label: 'Namespaces' },
  { href: '/backends', label: 'Backends' },
  { href: '/lab', label: 'Lab' },
];

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <AuthFrame title="Page not found">
      {/* As high as its longest usual text: nothing moves once that is there. */}
      <p className="mt-1.5 line-clamp-6 min-h-[66px] text-14 text-t2 [overflow-wrap:anywhere]">
        <MissingNote>
          There is nothing at this address. What it names may have been deleted, or be older than
          the recorded history.
        </MissingNote>
      </p>
      <p className="mt-6 flex flex-wrap gap-3">
        {PLACES.map(({ href, label }) => (
          <a key={href} href={href} className="button" data-size="large">
            {label}
          </a>
        ))}
      </p>
    </AuthFrame>
  );
}

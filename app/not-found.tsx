import Link from 'next/link';
import { EntryFrame } from '@/components/auth/auth-frame';

export default function NotFound() {
  return (
    <EntryFrame title="There is nothing here" intro="No page has this address.">
      <Link href="/" className="button mt-6" data-size="large">
        To the locks
      </Link>
    </EntryFrame>
  );
}

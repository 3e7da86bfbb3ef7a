import Link from 'next/link';
import { AuthFrame } from '@/components/auth/auth-frame';

export default function NotFound() {
  return (
    <AuthFrame title="Page not found" intro="There is nothing at this address.">
      <Link href="/" className="button mt-6" data-size="large">
        Go to Locks
      </Link>
    </AuthFrame>
  );
}

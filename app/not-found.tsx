import Link from 'next/link';
import { AuthFrame } from '@/components/auth/auth-frame';

export default function NotFound() {
  return (
    <AuthFrame title="There is nothing here" intro="No page has this address.">
      <Link href="/" className="button mt-6" data-size="large">
        To the locks
      </Link>
    </AuthFrame>
  );
}

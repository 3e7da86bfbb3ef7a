import { AuthFrame } from '@/components/auth/auth-frame';
import { NearLink } from '@/components/navigation/near-link';

export default function NotFound() {
  return (
    <AuthFrame title="Page not found" intro="There is nothing at this address.">
      <NearLink href="/" className="button mt-6" data-size="large">
        Go to Locks
      </NearLink>
    </AuthFrame>
  );
}

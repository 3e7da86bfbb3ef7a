'use client';

import { AuthFrame } from '@/components/auth/auth-frame';
import { Button } from '@/components/ui/controls/button';

export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <AuthFrame
      title="Something went wrong"
      intro="No changes were made. The server may be starting, or its database may be unavailable."
    >
      {error.digest && (
        <p className="mt-4 text-12 text-t3">
          Error ID: <code className="font-mono text-t2 select-all">{error.digest}</code>
        </p>
      )}
      <div className="mt-6 flex gap-3">
        <Button size="large" tone="accent" onClick={() => window.location.reload()}>
          Reload
        </Button>
        <Button size="large" onClick={reset}>
          Try again
        </Button>
      </div>
    </AuthFrame>
  );
}

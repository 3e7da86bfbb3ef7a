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
      title="This page could not be shown"
      intro="Nothing was changed by that. The server may be starting, or its database may be away."
    >
      {error.digest && (
        <p className="mt-4 text-12 text-t3">
          The server’s log has it as <code className="font-mono text-t2">{error.digest}</code>.
        </p>
      )}
      <div className="mt-6 flex gap-3">
        <Button size="large" tone="accent" onClick={() => window.location.reload()}>
          Load it again
        </Button>
        <Button size="large" onClick={reset}>
          Try to go on
        </Button>
      </div>
    </AuthFrame>
  );
}

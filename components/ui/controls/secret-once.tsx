'use client';

import { CopyButton } from './copy-button';

/** A secret that is shown this once. */
export function SecretOnce({ what, secret }: { what: string; secret: string }) {
  return (
    <div className="rounded-10 border border-line2 bg-s2 p-3">
      <div className="flex items-center gap-3">
        <code className="min-w-0 flex-1 font-mono text-13 break-all select-all">{secret}</code>
        <CopyButton text={secret} label={`Copy the ${what}`} />
      </div>
      <p className="mt-1.5 text-12 text-t2">Copy it now. You won’t see it again.</p>
    </div>
  );
}

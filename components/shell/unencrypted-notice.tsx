import { Icon } from '../icons/icon';
import { useSession } from '../live/session';

/** Warns an admin whose own connection crosses a network in the clear. */
export function UnencryptedNotice() {
  const { unencrypted } = useSession();
  if (!unencrypted) return null;
  return (
    <p
      role="status"
      className="flex shrink-0 items-start gap-2.5 border-line border-b bg-contended-tint px-[var(--gutter)] py-2"
    >
      <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
      <span>
        <strong className="font-semibold">This connection is not encrypted.</strong> Passwords,
        sessions and API keys can be read on the network. Put a proxy with TLS in front:{' '}
        <span className="font-mono text-12">docs/behind-a-proxy.md</span> shows how.
      </span>
    </p>
  );
}

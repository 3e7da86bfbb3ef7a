import { Icon } from '../icons/icon';

/** Why a backend refuses requests, and what to do about it. */
export function RefusalNotice({ text }: { text: string }) {
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-10 bg-danger-tint px-3.5 py-2.5 text-13 text-t1"
    >
      <Icon name="alert-circle" size={16} className="mt-0.5 shrink-0 text-dangertext" />
      <div className="min-w-0">
        <p className="font-[620]">This server lets nobody use it.</p>
        <p className="[overflow-wrap:anywhere]">{text}</p>
      </div>
    </div>
  );
}

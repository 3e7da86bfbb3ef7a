import { ROLES, type Role } from '@/server/contract/console/console-terms';

export const ROLE_LABELS: Record<Role, { label: string; means: string }> = {
  viewer: { label: 'Viewer', means: 'Read-only' },
  operator: { label: 'Operator', means: 'Can act on locks and counters' },
  admin: { label: 'Admin', means: 'Full access' },
};

/** The roles; each includes the permissions of the one before it. */
export function RoleField({ chosen }: { chosen: Role }) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-[550]">Role</legend>
      <div className="flex flex-col gap-1.5">
        {ROLES.map((role) => (
          <label key={role} className="flex min-h-8 items-center gap-2.5 pointer-coarse:min-h-11">
            <input
              type="radio"
              name="role"
              value={role}
              defaultChecked={role === chosen}
              className="size-4 accent-[var(--acc)]"
            />
            {ROLE_LABELS[role].label}
            <span className="text-t3">{ROLE_LABELS[role].means}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The role that was chosen in a form with a `RoleField`. */
export const chosenRole = (form: FormData) => String(form.get('role')) as Role;

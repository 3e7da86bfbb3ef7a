import { ROLES, type Role } from '@/server/contract/console/console-terms';

export const ROLE_LABELS: Record<Role, { word: string; means: string }> = {
  viewer: { word: 'Viewer', means: 'sees everything' },
  operator: { word: 'Operator', means: 'also extends and releases locks' },
  admin: { word: 'Admin', means: 'also manages people, keys and namespaces' },
};

/** The roles, each with everything that the one before it may do. */
export function RoleField({ chosen }: { chosen: Role }) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-[550]">Role</legend>
      <div className="flex flex-col gap-1.5">
        {ROLES.map((role) => (
          <label key={role} className="flex min-h-8 items-center gap-2.5">
            <input
              type="radio"
              name="role"
              value={role}
              defaultChecked={role === chosen}
              className="size-4 accent-[var(--acc)]"
            />
            {ROLE_LABELS[role].word}
            <span className="text-t3">{ROLE_LABELS[role].means}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

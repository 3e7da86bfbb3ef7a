import { z } from 'zod';
import {
  EXPIRES_AT_MAX,
  keyNamespaces,
  namespacePolicyBounds,
  storeId,
} from '../../contract/console/access-inputs';
import { alertRules } from '../../contract/console/alerts/alert-inputs';
import { role, serviceName, userName } from '../../contract/console/console-inputs';
import { keyPrefix, keyVerbs } from '../../contract/key-limits';
import { namespaceName } from '../../contract/primitives';

/** The file never contains a secret, only the name of a variable of the environment. */
const fromEnv = z.strictObject({
  fromEnv: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must name an environment variable'),
});

const byDefault = z.literal('default');

const wantedNamespace = z.strictObject({
  name: namespaceName,
  backend: storeId.default('default'),
  /** Absent: left unchanged. Bounds that are left out get their defaults. */
  policy: z.union([byDefault, namespacePolicyBounds.partial()]).optional(),
  /** As for the policy. */
  alertRules: z.union([byDefault, alertRules.partial()]).optional(),
});

const wantedUser = z.strictObject({
  name: userName,
  role,
  disabled: z.boolean().default(false),
  /** Only for a user that is created; absent: one is generated, and printed once. */
  password: fromEnv.optional(),
});

const wantedKey = z
  .strictObject({
    name: serviceName,
    namespaces: keyNamespaces.min(1).optional(),
    witness: z.literal(true).optional(),
    prefix: keyPrefix.optional(),
    verbs: keyVerbs.optional(),
    expiresAt: z.iso
      .datetime({ offset: true, error: 'must be an instant such as 2027-01-31T00:00:00Z' })
      .refine((instant) => Date.parse(instant) <= EXPIRES_AT_MAX, {
        message: `must be at most ${new Date(EXPIRES_AT_MAX).toISOString()}`,
      })
      .optional(),
    /** The whole key, made by `keys generate`; absent: one is generated. */
    secret: fromEnv.optional(),
    /** Where to write a generated key; absent: it is printed once. */
    secretFile: z.string().min(1).max(1_000).optional(),
  })
  .refine((key) => (key.namespaces === undefined) === (key.witness === true), {
    message: 'needs namespaces, or else witness: true',
    path: ['namespaces'],
  })
  .refine(({ witness, prefix, verbs }) => !witness || (prefix ?? verbs) === undefined, {
    message: 'the key of a witness has neither a prefix nor verbs',
    path: ['witness'],
  })
  .refine((key) => key.secret === undefined || key.secretFile === undefined, {
    message: 'is for a key that is generated; this one has a secret',
    path: ['secretFile'],
  });

/** Refuses a value that an earlier entry has in the same field. */
const distinct =
  <F extends string>(field: F, complaint: (value: string) => string) =>
  (list: { [key in F]?: string | undefined }[], ctx: z.RefinementCtx) => {
    const known = new Set<string>();
    for (const [at, { [field]: value }] of list.entries()) {
      if (value === undefined) continue;
      if (known.has(value)) {
        ctx.addIssue({ code: 'custom', message: complaint(value), path: [at, field] });
      }
      known.add(value);
    }
  };

const once = distinct('name', (name) => `"${name}" is named twice`);
const eachItsFile = distinct('secretFile', () => 'is the file of another key');

const LIST_MAX = 1_000;

/** What a file for `lockyard apply` may contain. A section that is absent is left unchanged. */
export const wantedState = z.strictObject({
  version: z.literal(1, 'must be 1'),
  namespaces: z.array(wantedNamespace).max(LIST_MAX).superRefine(once).optional(),
  users: z.array(wantedUser).max(LIST_MAX).superRefine(once).optional(),
  keys: z.array(wantedKey).max(LIST_MAX).superRefine(once).superRefine(eachItsFile).optional(),
});
export type WantedState = z.output<typeof wantedState>;
export type WantedNamespace = z.output<typeof wantedNamespace>;
export type WantedUser = z.output<typeof wantedUser>;
export type WantedKey = z.output<typeof wantedKey>;

export const applyInput = z.strictObject({
  /** For the audit log. */
  file: z.string(),
  state: wantedState,
  /** The values of the variables that the file names. */
  env: z.record(z.string(), z.string().max(10_000)),
  /** Keys that are already in their files, by the names of their entries. */
  made: z.record(z.string(), z.string().max(200)).optional(),
  dryRun: z.boolean(),
  prune: z.boolean(),
});
export type ApplyInput = z.output<typeof applyInput>;

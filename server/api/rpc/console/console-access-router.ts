import {
  createKeyInput,
  createNamespaceInput,
  createPersonInput,
  resetPasswordInput,
  revokeKeyInput,
  setDisabledInput,
  setNamespacePolicyInput,
  setRoleInput,
} from '../../../contract/console/access-inputs';
import { createApiKey } from '../../../operations/api-keys/create-api-key';
import { listApiKeys } from '../../../operations/api-keys/list-api-keys';
import { revokeApiKey } from '../../../operations/api-keys/revoke-api-key';
import { createNamespace } from '../../../operations/namespaces/create-namespace';
import { listNamespaces } from '../../../operations/namespaces/list-namespaces';
import { setNamespacePolicy } from '../../../operations/namespaces/set-namespace-policy';
import { createUser } from '../../../operations/users/create-user';
import { listUsers } from '../../../operations/users/list-users';
import { resetPassword } from '../../../operations/users/reset-password';
import { setDisabled } from '../../../operations/users/set-disabled';
import { setRole } from '../../../operations/users/set-role';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleKeysRouter = consoleRouterOf({
  list: consoleProcedure.query(({ ctx }) => listApiKeys(ctx.operation)),
  create: consoleProcedure
    .input(createKeyInput)
    .mutation(({ ctx, input }) => createApiKey(ctx.operation, input)),
  revoke: consoleProcedure
    .input(revokeKeyInput)
    .mutation(({ ctx, input }) => revokeApiKey(ctx.operation, input)),
});

export const consolePeopleRouter = consoleRouterOf({
  list: consoleProcedure.query(({ ctx }) => listUsers(ctx.operation)),
  create: consoleProcedure
    .input(createPersonInput)
    .mutation(({ ctx, input }) => createUser(ctx.operation, input)),
  setRole: consoleProcedure
    .input(setRoleInput)
    .mutation(({ ctx, input }) => setRole(ctx.operation, input)),
  setDisabled: consoleProcedure
    .input(setDisabledInput)
    .mutation(({ ctx, input }) => setDisabled(ctx.operation, input)),
  resetPassword: consoleProcedure
    .input(resetPasswordInput)
    .mutation(({ ctx, input }) => resetPassword(ctx.operation, input)),
});

export const consoleNamespacesRouter = consoleRouterOf({
  list: consoleProcedure.query(({ ctx }) => listNamespaces(ctx.operation)),
  create: consoleProcedure
    .input(createNamespaceInput)
    .mutation(({ ctx, input }) => createNamespace(ctx.operation, input)),
  setPolicy: consoleProcedure
    .input(setNamespacePolicyInput)
    .mutation(({ ctx, input }) => setNamespacePolicy(ctx.operation, input)),
});

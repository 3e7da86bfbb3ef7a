import {
  createKeyInput,
  createNamespaceInput,
  createPersonInput,
  resetPasswordInput,
  revokeKeyInput,
  setDisabledInput,
  setNamespacePolicyInput,
  setRoleInput,
} from '../domain/access-inputs';
import { createKey } from '../operations/create-key';
import { createNamespace } from '../operations/create-namespace';
import { createPerson } from '../operations/create-person';
import { listKeys } from '../operations/list-keys';
import { listNamespaces } from '../operations/list-namespaces';
import { listPeople } from '../operations/list-people';
import { resetPassword } from '../operations/reset-password';
import { revokeKey } from '../operations/revoke-key';
import { setDisabled } from '../operations/set-disabled';
import { setNamespacePolicy } from '../operations/set-namespace-policy';
import { setRole } from '../operations/set-role';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleKeysRouter = consoleRouterOf({
  list: consoleProcedure.query(({ ctx }) => listKeys(ctx.operation)),
  create: consoleProcedure
    .input(createKeyInput)
    .mutation(({ ctx, input }) => createKey(ctx.operation, input)),
  revoke: consoleProcedure
    .input(revokeKeyInput)
    .mutation(({ ctx, input }) => revokeKey(ctx.operation, input)),
});

export const consolePeopleRouter = consoleRouterOf({
  list: consoleProcedure.query(({ ctx }) => listPeople(ctx.operation)),
  create: consoleProcedure
    .input(createPersonInput)
    .mutation(({ ctx, input }) => createPerson(ctx.operation, input)),
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

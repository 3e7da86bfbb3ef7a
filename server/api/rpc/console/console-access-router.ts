import {
  changeKeyInput,
  createKeyInput,
  createPersonInput,
  endUserSessionsInput,
  keyListInput,
  resetPasswordInput,
  revokeKeyInput,
  rotateKeyInput,
  setDisabledInput,
  setRoleInput,
} from '../../../contract/console/access-inputs';
import { changeApiKey } from '../../../operations/api-keys/change-api-key';
import { createApiKey } from '../../../operations/api-keys/create-api-key';
import { listApiKeys } from '../../../operations/api-keys/list-api-keys';
import { revokeApiKey } from '../../../operations/api-keys/revoke-api-key';
import { rotateApiKey } from '../../../operations/api-keys/rotate-api-key';
import { createUser } from '../../../operations/users/create-user';
import { endUserSessions } from '../../../operations/users/end-user-sessions';
import { listUsers } from '../../../operations/users/list-users';
import { resetPassword } from '../../../operations/users/reset-password';
import { setDisabled } from '../../../operations/users/set-disabled';
import { setRole } from '../../../operations/users/set-role';
import { consoleProcedure, consoleRouterOf, mutation, query } from './console-procedure';

export const consoleKeysRouter = consoleRouterOf({
  list: query(keyListInput, listApiKeys),
  create: mutation(createKeyInput, createApiKey),
  change: mutation(changeKeyInput, changeApiKey),
  rotate: mutation(rotateKeyInput, rotateApiKey),
  revoke: mutation(revokeKeyInput, revokeApiKey),
});

export const consolePeopleRouter = consoleRouterOf({
  list: consoleProcedure.query(({ ctx }) => listUsers(ctx.operation)),
  create: mutation(createPersonInput, createUser),
  setRole: mutation(setRoleInput, setRole),
  setDisabled: mutation(setDisabledInput, setDisabled),
  resetPassword: mutation(resetPasswordInput, resetPassword),
  endSessions: mutation(endUserSessionsInput, endUserSessions),
});

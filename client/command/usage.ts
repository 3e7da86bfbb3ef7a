import { EXEC_USAGE } from './exec/exec-options';
import { INSPECT_USAGE } from './run-inspect';
import { LS_USAGE } from './run-ls';
import { RELEASE_USAGE } from './run-release';

export const USAGE = `Usage:
  ${EXEC_USAGE}
      Run a command while holding the lock NAME.
      -w, --wait DURATION          Wait at most so long for the lock (without end).
      -n, --no-wait                Do not wait.
      -E, --conflict-exit-code N   The exit code when the lock was not granted (1).
      -s, --shared                 Share the lock with others that do (alone).
          --lease DURATION         How long the lock stays taken if this machine dies (30s).
      -k, --kill-after DURATION    From SIGTERM to SIGKILL when the hold is lost (5s, at most a sixth of the lease).
          --owner OWNER            This run's name for itself (made of host, process and chance).
      -q, --quiet                  Say nothing but mistakes.
      -v, --verbose                Tell what happens.
  ${LS_USAGE}
      List the locks that are held, have lapsed or are waited for.
      -a, --all                    The free ones too.
  ${INSPECT_USAGE}
      Show who holds a lock and who waits.
  ${RELEASE_USAGE}
      Give back a hold of the service that the API key belongs to.

Everywhere: --namespace NAMESPACE (default), --url URL (LOCKYARD_URL); ls, inspect and release: --json.
The API key is read from LOCKYARD_API_KEY, or the file LOCKYARD_API_KEY_FILE. A DURATION is 500ms, 30s, 5m, 2h; a bare number is seconds.

Exit codes: the command's own; 1 not granted, 64 wrong usage, 69 no answer, 70 a fault of Lockyard,
75 the hold was lost and the command ended, 77 the API key was refused, 78 something is not set up,
126 the command cannot be run, 127 there is no such command, 128+N a signal ended it.
`;

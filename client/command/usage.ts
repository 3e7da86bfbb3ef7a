import { EXEC_USAGE } from './exec/exec-options';
import { MCP_USAGE } from './mcp/run-mcp';
import { INSPECT_USAGE } from './run-inspect';
import { LS_USAGE } from './run-ls';
import { RELEASE_USAGE } from './run-release';
import { WATCH_USAGE } from './run-watch';
import { WITNESS_USAGE } from './witness/run-witness';

export const USAGE = `Usage:
  ${EXEC_USAGE}
      Run a command while holding the lock NAME.
      -w, --wait DURATION          Maximum time to wait (default: forever).
      -n, --no-wait                Do not wait.
      -E, --conflict-exit-code N   Exit code if the lock is not acquired (default: 1).
      -s, --shared                 Acquire in shared mode (default: exclusive).
          --capacity N             Acquire permits, of which at most N can be held at the
                                   same time; the same N in all commands.
          --permits N              How many permits to acquire (default: 1; needs --capacity).
          --lease DURATION         Lease duration; if the machine dies, the lock becomes free
                                   after it (default: 30s, or --hold-at-least if longer).
          --hold-at-least DURATION Hold the lock at least this long, even if the command ends
                                   sooner; at most the lease.
      -k, --kill-after DURATION    Grace period between SIGTERM and SIGKILL after the lock is
                                   lost (default: 5s, but at most 1/6 of the lease;
                                   maximum: 1/2 of the lease).
          --owner OWNER            Owner id (default: host-pid-random).
      -q, --quiet                  Only print errors.
      -v, --verbose                Verbose output.
  ${LS_USAGE}
      List held, expired and contended locks.
      -a, --all                    Include free locks.
  ${INSPECT_USAGE}
      Show the holders and waiters of a lock.
  ${WATCH_USAGE}
      Print the state of locks now and after every change, one line each, until interrupted.
      -p, --prefix PREFIX          Watch all locks with this prefix, in place of names.
          --until-free             End when the lock is free: one NAME only.
  ${RELEASE_USAGE}
      Release a hold owned by this API key's service.
  ${MCP_USAGE}
      Offer locks as tools to a coding agent (Model Context Protocol), until its input ends.
          --owner OWNER            Owner id (default: host-pid-random).
  ${WITNESS_USAGE}
      Report which processes of this machine that hold locks are alive, until interrupted.
      Needs a key made with keys create --witness.
      -q, --quiet                  Only print errors.
  lockyard --version
      Print the release.

All commands: --url URL, or several separated by commas (LOCKYARD_URL); all but witness:
--namespace NAMESPACE (default: "default"); ls, inspect, watch and release: --json.
The API key is read from LOCKYARD_API_KEY, or from the file LOCKYARD_API_KEY_FILE.
A DURATION is 500ms, 30s, 5m, 2h or 1d; a number without a unit is seconds.

Exit codes: the command's own; 1 not acquired, 64 usage error, 69 server unreachable,
70 internal error, 75 lock lost and command terminated, 77 API key rejected,
78 configuration error, 126 command not executable, 127 command not found,
128+N terminated by signal N.
`;

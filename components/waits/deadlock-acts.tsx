'use client';

import type { HeadBlockerRow, WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { useActions } from '../actions/actions-provider';
import { agoText } from '../format/durations';
import { visibleText } from '../format/visible-name';
import { failureTitleWithoutRetry } from '../live/problem';
import { useAtBackend } from '../live/reading';
import { useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { useSubmit } from '../ui/controls/use-submit';
import { ProblemNote } from '../ui/problem-note';

/** Ends a deadlock at the hold that has lasted the shortest: the least work is lost there. */
export function DeadlockActs({ head, graph }: { head: HeadBlockerRow; graph: WaitGraph }) {
  const actions = useActions();
  const client = useTRPCClient();
  const { isBusy, problem, submit } = useSubmit();
  const foundMs = useAtBackend(
    '',
    (now) => Math.floor(Math.max(0, now - (head.deadlock?.foundAt ?? now)) / 1_000) * 1_000,
  );
  const youngest = youngestHold(head, graph);
  const open = (act: 'ask' | 'release') =>
    void submit(async () => {
      if (!youngest) return;
      const { namespace, name } = youngest.lock;
      const detail = await client.locks.detail.query({ namespace, name });
      const hold = detail.holds.find(({ token }) => token === youngest.token) ?? detail.row.hold;
      actions?.[act]({ ...detail.row, hold });
    });
  return (
    <div className="flex flex-wrap items-center gap-2 pl-[22px]">
      <span className="w-full text-12 text-t2">found {agoText(foundMs)}</span>
      {actions && youngest && (
        <>
          <Button size="small" disabled={isBusy} onClick={() => open('ask')}>
            Ask {visibleText(youngest.owner)}
          </Button>
          <Button size="small" tone="danger-word" disabled={isBusy} onClick={() => open('release')}>
            Force release…
          </Button>
          <span className="text-12 text-t3">least work lost</span>
        </>
      )}
      {problem && <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />}
    </div>
  );
}

/** Of the holds in the cycle: the one that was granted last, by the server's clock. */
function youngestHold({ deadlock }: HeadBlockerRow, { locks, owners, backends }: WaitGraph) {
  const holds = (deadlock?.steps ?? []).flatMap((step) => {
    const lock = locks[step.lock];
    const hold = lock?.holders.find(({ token }) => token === step.token);
    const owner = hold && owners[hold.owner];
    if (!lock || !owner) return [];
    const offsetMs = backends.find(({ id }) => id === lock.backend)?.clockOffsetMs ?? 0;
    return [{ lock, token: hold.token, owner: owner.owner, at: hold.grantedAt - offsetMs }];
  });
  return holds.sort((a, b) => b.at - a.at)[0];
}

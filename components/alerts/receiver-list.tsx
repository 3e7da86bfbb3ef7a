'use client';

import type { ReceiverRow } from '@/server/contract/console/alerts/alert-row';
import { agoText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { Instant } from '../ui/instant';
import { Panel } from '../ui/panel';

const FORMATS: Record<ReceiverRow['format'], string> = {
  webhook: 'signed webhook',
  slack: 'Slack',
  alertmanager: 'Alertmanager',
};

/** Where alerts are sent, and whether they were accepted. */
export function ReceiverList({
  receivers,
  now,
}: {
  receivers: readonly ReceiverRow[];
  now: number;
}) {
  return (
    <Panel title="Receivers">
      {receivers.length === 0 && (
        <p className="px-3.5 py-3 text-t2">
          None: alerts are only shown on this page. Set{' '}
          <code className="font-mono text-12">LOCKYARD_WEBHOOK_&lt;ID&gt;</code> to send them; see{' '}
          <span className="font-mono text-12">docs/alerts.md</span>.
        </p>
      )}
      <ul>
        {receivers.map((receiver) => (
          <li key={receiver.id} className="list-item">
            <div className="flex items-center gap-2">
              <Icon
                name={receiver.failure === null ? 'check-circle' : 'alert-octagon'}
                size={15}
                className={receiver.failure === null ? 'text-acc' : 'text-dangertext'}
              />
              <span className="min-w-0">
                <span className="font-[550]">{receiver.id}</span>{' '}
                <span className="text-12 text-t3">
                  {FORMATS[receiver.format]}, {receiver.host}
                </span>
              </span>
            </div>
            <p className="text-12 text-t2">
              {receiver.sentAt === null ? (
                'No message accepted yet'
              ) : (
                <>
                  {plural(receiver.sent, 'message')} accepted, the last{' '}
                  <Instant at={receiver.sentAt} now={now} />
                </>
              )}
            </p>
            {receiver.failure !== null && (
              <p className="text-12 text-dangertext">{receiver.failure}</p>
            )}
            {receiver.pending && (
              <p className="text-12 text-t2">
                One message is pending: created {agoText(now - receiver.pending.since)},{' '}
                {plural(receiver.pending.attempts, 'attempt')}.
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

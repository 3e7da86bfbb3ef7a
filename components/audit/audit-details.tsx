'use client';

import type { AuditEntry } from '@/server/contract/console/audit-entry';
import { visibleText } from '@/server/core/format/visible-text';
import { exactInstant } from '../format/instants';
import { CopyButton } from '../ui/controls/copy-button';
import { Fact, Facts } from '../ui/facts/facts';

/** Everything that one entry records. */
export function AuditDetails({ entry }: { entry: AuditEntry }) {
  const { at, closedAt, address, requestId, seen, result } = entry;
  const facts = [
    ['Recorded', exactInstant(at)],
    ['Result known', closedAt === null ? 'not yet' : exactInstant(closedAt)],
    ['From', address],
    ['Entry', String(entry.id)],
  ] as const;
  return (
    <div className="audit-details">
      <Facts>
        {facts.map(([label, text]) => (
          <Fact key={label} label={label}>
            {visibleText(text)}
          </Fact>
        ))}
        <Fact label="Request id" className="flex items-center gap-2">
          <code className="break-all">{visibleText(requestId)}</code>
          <CopyButton text={requestId} label="Copy request id" quiet />
        </Fact>
      </Facts>
      <div className="audit-states">
        <State title="Before" facts={seen} />
        <State title="Result" facts={result} />
      </div>
    </div>
  );
}

function State({ title, facts }: { title: string; facts: Record<string, unknown> }) {
  return (
    <div className="min-w-0">
      <p className="text-12 text-t2">{title}</p>
      <pre className="audit-json">
        {Object.keys(facts).length === 0 ? '–' : visibleLines(JSON.stringify(facts, null, 2))}
      </pre>
    </div>
  );
}

/** Line by line, so that the line breaks of the layout are kept. */
const visibleLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/^( *)(.*)$/, (_, indent, rest) => indent + visibleText(rest)))
    .join('\n');

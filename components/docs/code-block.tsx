import { CopyButton } from '../ui/controls/copy-button';

/** A preformatted text to read or copy. */
export function CodeBlock({
  title,
  text,
  copy,
}: {
  title: string;
  text: string;
  /** The label of the copy button; without it there is none. */
  copy?: string;
}) {
  return (
    <figure className="card">
      <figcaption className="flex min-h-9 items-center gap-3 border-line border-b py-1 pr-1.5 pl-3.5 text-12 text-t2">
        <span className="min-w-0 flex-1">{title}</span>
        {copy && <CopyButton text={text} label={copy} quiet />}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
      <pre className="overflow-x-auto px-3.5 py-3 font-mono text-12 leading-5" tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}

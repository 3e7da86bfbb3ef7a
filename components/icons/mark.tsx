/** The map sign for a canal lock: two banks, and a gate that points upstream. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 26 26"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="square"
      className="shrink-0 text-acc"
    >
      <path d="M4 4.2h18M4 21.8h18" />
      <path d="M20.8 8 11.4 13l9.4 5" strokeLinejoin="miter" />
      <path d="M4 13h3.8" opacity="0.55" />
    </svg>
  );
}

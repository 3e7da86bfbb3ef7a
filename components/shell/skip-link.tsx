/** Leads keyboard users past the navigation. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="fixed top-2 left-2 z-60 -translate-y-20 rounded-8 bg-acc px-3.5 py-2 text-onacc focus-visible:translate-y-0 print:hidden"
    >
      Skip to content
    </a>
  );
}

/**
 * A backend by the first letter of its id, which is whole on hover and when read aloud. Filled
 * where a chain of waits comes from another backend.
 */
export function BackendGlyph({ id, isFilled = false }: { id: string; isFilled?: boolean }) {
  return (
    <span
      role="img"
      aria-label={`backend ${id}`}
      title={isFilled ? `${id}; the chain changes backend here` : id}
      className="backend-glyph"
      data-filled={isFilled}
    >
      {[...id][0]?.toUpperCase()}
    </span>
  );
}

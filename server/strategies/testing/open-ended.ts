/** A promise, and the function that resolves it. */
export function signal(): { given: Promise<void>; give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Work that has begun when `begun` resolves, and continues until `end` is called. */
export function openEnded() {
  const begun = signal();
  const ended = signal();
  const work = async () => {
    begun.give();
    await ended.given;
  };
  return { work, begun: begun.given, end: ended.give };
}

/** The result of a command. */
export interface CliAnswer {
  /** What to print on standard output; null: nothing. */
  text: string | null;
  /**
   * What to say on standard error: what was done, or what the text lacks. Not printed with
   * `--json`, since `data` says the same.
   */
  note?: string | null;
  /** What to print with `--json`. Its fields are a contract: see docs/provisioning.md. */
  data: Record<string, unknown>;
}

/** The same as printed; null: nothing. */
export interface CliOutput {
  /** For standard output. */
  print: string | null;
  /** For standard error. */
  note: string | null;
}

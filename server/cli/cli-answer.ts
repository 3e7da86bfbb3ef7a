/** The result of a command. */
export interface CliAnswer {
  /** What to print; null: nothing. */
  text: string | null;
  /** What to print with `--json`. Its fields are a contract: see docs/provisioning.md. */
  data: Record<string, unknown>;
}

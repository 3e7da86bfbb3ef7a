/** What a command came to. */
export interface CliAnswer {
  /** What to print; null: nothing. */
  text: string | null;
  /** What to print with `--json`: its fields are a contract, see docs/provisioning.md. */
  data: Record<string, unknown>;
}

import type { ConfiguredWitness } from '../../bootstrap/config/witness-urls';
import type { Meta } from '../../contract/primitives';
import { LIVENESS_STATES } from '../../core/status/holder-liveness';
import { abortedAfter } from '../../platform/time-limit';
import type { Observation } from './holder-evidence';
import { printableEvidence } from './printable-evidence';

const ANSWER_WITHIN_MS = 2_000;
const BODY_MAX_BYTES = 4_096;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const MARK = '--value-of--';
const MARKED = new RegExp(`${MARK}(pod|ciRun|host|pid)`, 'g');

/** Percent-encodes a value, and also the signs that `encodeURIComponent` leaves. */
const encoded = (value: string) =>
  encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The URL to ask about a hold with this `meta`; null where it lacks a value, or a value would
 * change more of the URL than its own place.
 */
export function witnessUrl(template: string, meta: Meta): string | null {
  const fields = [...template.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
  if (fields.some((field) => !meta[field])) return null;
  const filled = template.replaceAll(PLACEHOLDER, (_, field: string) => encoded(meta[field] ?? ''));
  // Parsed with a mark in each place: a value of dots, for example, would change the path.
  const marked = new URL(template.replaceAll(PLACEHOLDER, (_, field: string) => `${MARK}${field}`));
  const expected = marked.href.replaceAll(MARKED, (_, field: string) => encoded(meta[field] ?? ''));
  return new URL(filled).href === expected ? expected : null;
}

/**
 * Asks a URL for a holder's state. Follows no redirect, waits for at most 2 s, and reads at most
 * 4 KB. Anything but a valid answer counts as `unknown`, never as `dead`. Never rejects.
 *
 * @param ending aborts the attempt, for example when this process shuts down
 */
export async function askUrl(
  url: string,
  { authorization }: Pick<ConfiguredWitness, 'authorization'>,
  ending: AbortSignal,
): Promise<Observation> {
  try {
    return await abortedAfter(ANSWER_WITHIN_MS, ending, async (signal) => {
      const response = await fetch(url, {
        redirect: 'manual',
        signal,
        headers: { accept: 'application/json', ...(authorization && { authorization }) },
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { state: 'unknown', evidence: `answered with status ${response.status}` };
      }
      return readAnswer(await boundedText(response));
    });
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    return { state: 'unknown', evidence: isLate ? 'no answer within 2 s' : 'cannot be reached' };
  }
}

/** The text of a response; null if it is longer than `BODY_MAX_BYTES`. */
async function boundedText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(text: string | null): Observation {
  const answer = text === null ? null : jsonOf(text);
  const { state, since, evidence } = answer ?? {};
  const known = LIVENESS_STATES.find((each) => each === state);
  if (!known) return { state: 'unknown', evidence: 'answered with no state' };
  return {
    state: known,
    evidence: typeof evidence === 'string' ? printableEvidence(evidence) : `says ${known}`,
    since: instantOf(since),
  };
}

function jsonOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Epoch milliseconds of a number or an ISO text; null for anything else. */
function instantOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && Number.isSafeInteger(at) && at > 0 ? at : null;
}

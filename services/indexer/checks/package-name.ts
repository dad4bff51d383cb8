import { z } from 'zod';
import type { ProofFinding } from '../../../db/queries/catalog/proofs.ts';
import { parseJson } from '../../../lib/json.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';

/** Maximum size of an answer. One with the longest name has less than 400 bytes. */
const bytesMax = 4096;

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** `@reef/vault`, or `labs@reef/vault` for the subdomain `labs.reef.sui`, without the number of a version. */
const packageName = z
  .string()
  .max(256)
  .regex(new RegExp(`^(?:${label}(?:\\.${label})*)?@${label}/${label}$`));

const nameAnswer = z.object({ name: packageName.nullable() });
const packageAnswer = z.object({
  package_id: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,64}$/)
    .nullable(),
});

/**
 * Reads the name of a package from a server of the Move Registry (MVR), in the form `@reef/vault`: the package's default
 * name, if it resolves to this version of the package. Undefined if the request failed and can be repeated.
 * @param url of the server, without a slash at its end
 * @param packageId 64 hex digits in lower case
 */
export async function readPackageName(
  outbound: Outbound,
  url: string,
  packageId: string,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<ProofFinding> {
  const ask = async <T>(path: string, shape: z.ZodType<T>): Promise<T> => {
    const bytes = await outbound.fetchBytes(`${url}/v1/${path}`, { maxBytes: bytesMax, ...options });
    return shape.parse(parseJson(Buffer.from(bytes).toString()));
  };
  try {
    const { name } = await ask(`reverse-resolution/${packageId}`, nameAnswer);
    if (name === null) return { name: null, error: null };
    const { package_id: resolvedId } = await ask(`resolution/${name}`, packageAnswer);
    const isSame = resolvedId !== null && BigInt(resolvedId) === BigInt(packageId);
    return { name: isSame ? name : null, error: null };
  } catch (error) {
    if (error instanceof z.ZodError) return { name: null, error: 'The server returned an invalid response.' };
    if (!(error instanceof OutboundError)) throw error;
    return { name: error.retryable ? undefined : null, error: error.message };
  }
}

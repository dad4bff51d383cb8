import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { FatalError } from '../../../lib/errors/index.ts';

interface Bucket {
  /** `s3://bucket/prefix/`. */
  address: string;
  /** Undefined: Amazon S3. */
  endpoint: string | undefined;
  region: string;
}

/** Names of errors that say that another export has replaced what this one has read, or ended its upload. */
const takeovers = new Set(['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchUpload']);

/** @returns FatalError `export_running` or `bad_bucket` that says what to do */
export function toBucketError(error: unknown, bucket: Bucket): FatalError {
  if (error instanceof FatalError) return error;
  const { name } = error as Error;
  if (takeovers.has(name)) return createTakeoverError(bucket.address, error);
  return new FatalError('bad_bucket', describeFailure(error as Error, bucket), { cause: error });
}

export const createTakeoverError = (address: string, cause?: unknown): FatalError =>
  new FatalError('export_running', `Another process exports to ${address}.`, { cause });

function describeFailure(error: Error, { address, endpoint = 'Amazon S3', region }: Bucket): string {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  const { name } = error;
  if (name === 'CredentialsProviderError')
    return `There are no keys for ${address}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
  if (name === 'NoSuchBucket')
    return `${endpoint} has no bucket for ${address}. Create it, or correct the address.`;
  if (status === 301 || name === 'AuthorizationHeaderMalformed')
    return `The bucket of ${address} is not in the region ${region}. Set AWS_REGION.`;
  if (name === 'AccessDenied')
    return (
      `${endpoint} denies access to ${address}. The keys need the rights s3:GetObject, s3:PutObject, s3:ListBucket, ` +
      's3:ListBucketMultipartUploads and s3:AbortMultipartUpload.'
    );
  if (status === 403)
    return `${endpoint} refuses the keys (${name}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
  if (name === 'TimeoutError')
    return `${endpoint} does not respond. Run the export again when it does: it continues.`;
  if (status === undefined)
    return `${endpoint} cannot be reached (${getErrorMessage(error)}). Check AWS_ENDPOINT_URL.`;
  return `${endpoint} returned ${name} (status ${status}). Run the export again: it continues.`;
}

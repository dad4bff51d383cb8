import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { FatalError } from '../errors/index.ts';
import { objectId } from './fields.ts';

/** Ids of the contracts that are deployed on a network, as first published. */
const deploymentSchema = z.strictObject({
  registryPackageId: objectId.optional(),
  registryObjectId: objectId.optional(),
  walletPackageId: objectId.optional(),
  rulesPackageId: objectId.optional(),
  rulesObjectId: objectId.optional(),
  allowlistPackageId: objectId.optional(),
  agentsPackageId: objectId.optional(),
  agentsObjectId: objectId.optional(),
  escrowPackageId: objectId.optional(),
});
export type Deployment = z.infer<typeof deploymentSchema>;

/** Path of the tracked file of a public network. */
export const buildDeploymentPath = (network: Network): string =>
  join(import.meta.dirname, '../../deployments', `${network}.json`);

/**
 * Reads a file of deployed contracts.
 * @param setting name of the setting that names the file
 * @throws FatalError `bad_settings` that names the setting, the file and each wrong field
 */
export function readDeployment(file: string, setting: string): Deployment {
  const refuse = (reason: string, cause?: unknown) =>
    new FatalError('bad_settings', `${setting}: ${file}: ${reason}`, { cause });
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refuse(getErrorMessage(error), error);
  }
  const read = deploymentSchema.safeParse(content);
  if (read.success) return read.data;
  const reasons = read.error.issues.map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`);
  throw refuse(reasons.join('; '));
}

import { askedValues } from '@adaptor-marketplace/adaptor/draft/asked-values';
import { draftCall } from '@adaptor-marketplace/adaptor/draft/call';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft/read-objects';
import { findOp } from '@adaptor-marketplace/adaptor/infer/find-op';
import { introspect } from '@adaptor-marketplace/adaptor/introspect/introspect';
import { nodePackages } from '@adaptor-marketplace/adaptor/packages/node-source';
import { Refusal, UsageError } from '../io.ts';
import type { Session } from '../signing/session.ts';
import type { Callable } from './callable.ts';

/**
 * An op of a package that nobody has listed, read off its bytecode here, for the objects that are named.
 * @throws UsageError where the package has no such op, or the call lacks something
 */
export async function packageOp(
  { client, walletPackage }: Session,
  packageId: string,
  { name, objects }: { name: string; objects: readonly string[] },
): Promise<Callable> {
  const introspection = await introspect(nodePackages(client), packageId, {
    walletPackageId: walletPackage?.originalId,
  });
  const found = findOp(introspection, name);
  if (found.status !== 'found') {
    const which = 'names' in found ? `${found.status}: ${found.names.join(', ')}` : 'not there';
    throw new UsageError(`The function ${name} of ${packageId} is ${which}; introspect lists them.`);
  }
  const { module, entry, executable, reason, intentMode } = found.op;
  // One that is not public is whole all the same; whether the caller does without bounds is for them to say.
  if (!executable && reason?.code !== 'needs_public')
    throw new Refusal(`${module}::${entry} is no whole transaction: ${reason?.detail}`);
  const answer = await readFixedObjects(client, objects);
  if (answer.status !== 'found') throw new Refusal(`The node does not tell of the objects: ${answer.reason}`);
  const { call, missing } = draftCall(found.op, undefined, {
    objects: [...answer.value.values()],
    values: askedValues(found.op),
  });
  if (!call) throw new UsageError(`${module}::${entry}: ${missing.join('; ')} (--object).`);
  const op = { kind: 'custom' as const, module, entry, call, ...(intentMode && { intentMode }) };
  return { title: packageId, packageId, op, witnesses: introspection.witnesses };
}

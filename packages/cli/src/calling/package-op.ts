import { askedValues } from '@adaptor-marketplace/adaptor/draft/asked-values';
import { draftCall } from '@adaptor-marketplace/adaptor/draft/call';
import type { NamedObject } from '@adaptor-marketplace/adaptor/draft/objects';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft/read-objects';
import { findOp } from '@adaptor-marketplace/adaptor/infer/find-op';
import { introspect } from '@adaptor-marketplace/adaptor/introspect/introspect';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect/types';
import { nodePackages } from '@adaptor-marketplace/adaptor/packages/node-source';
import { Refusal, UsageError } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';
import type { Session } from '../signing/session.ts';
import type { Callable } from './callable.ts';
import { requireTypeArgs } from './type-args.ts';

/** What a caller says of a function that no manifest describes. */
export interface PackageOpOptions {
  /** The function, or module::function. */
  name: string;
  objects: readonly string[];
  typeArgs: readonly string[] | undefined;
}

/**
 * An op of a package that nobody has listed, read off its bytecode here, for the objects that are named.
 * @throws UsageError where the package has no such op, or the call lacks something
 */
export async function packageOp(
  session: Session,
  packageId: string,
  { name, objects, typeArgs }: PackageOpOptions,
): Promise<Callable> {
  const { client, walletPackage } = session;
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
  const told = { objects: await namedObjects(session, objects), values: askedValues(found.op) };
  if (typeArgs) requireTypeArgs(found.op, found.op.typeParams.length, typeArgs);
  const byObjects = draftCall(found.op, undefined, told);
  typeArgs?.forEach((type, index) => {
    const own = byObjects.typeArgs[index];
    if (own === undefined || own === type) return;
    throw new UsageError(
      `--type-arg ${type}: as type argument ${index + 1} the op's objects are for ${own}.`,
    );
  });
  const { call, missing } = typeArgs ? draftCall(found.op, undefined, { ...told, typeArgs }) : byObjects;
  if (!call) throw new UsageError(lackOf(found.op, missing, told.objects));
  const op = { kind: 'custom' as const, module, entry, call, ...(intentMode && { intentMode }) };
  return { title: packageId, packageId, op, witnesses: introspection.witnesses };
}

async function namedObjects({ client, network }: Session, ids: readonly string[]): Promise<NamedObject[]> {
  if (ids.length === 0) return [];
  const answer = await readFixedObjects(client, ids);
  if (answer.status === 'unavailable') {
    throw new Refusal(`The node does not answer: ${nodeFailure(answer.reason)}. Try again.`);
  }
  const found = answer.status === 'found' ? answer.value : new Map<string, NamedObject>();
  const absent = ids.find((id) => !found.has(id));
  if (absent === undefined) return [...found.values()];
  throw new UsageError(
    `--object ${absent}: ${network} has no shared or immutable object of this id. Expected one that every transaction ` +
      'can use, such as a pool.',
  );
}

/** Says which objects and types are missing, and what the objects are that were named. */
function lackOf(
  { module, entry }: IntrospectedOp,
  missing: readonly string[],
  named: readonly NamedObject[],
): string {
  return [
    `${module}::${entry} needs more, by --object <id> and --type-arg <type>:`,
    ...missing,
    ...named.map(({ objectId, type }) => `--object ${objectId} is a ${type}`),
  ].join('\n  ');
}

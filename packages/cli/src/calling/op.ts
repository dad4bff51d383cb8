import { parseServiceType } from '@adaptor-marketplace/adaptor';
import {
  chooseWitness,
  draftCall,
  type NamedObject,
  readFixedObjects,
  requiredValues,
  WitnessUnresolvedError,
} from '@adaptor-marketplace/adaptor/draft';
import { findOp } from '@adaptor-marketplace/adaptor/infer';
import {
  type IntrospectedOp,
  type IntrospectedWitness,
  introspect,
  nodePackages,
} from '@adaptor-marketplace/adaptor/introspect';
import {
  isExecutable,
  type ListedOp,
  listedManifestSchema,
  type Manifest,
  opFault,
} from '@adaptor-marketplace/adaptor/manifest';
import { catalogAnswer, parseResponse, searchTextMax } from '../api.ts';
import { CommandFailedError, createNodeError, UsageError } from '../io.ts';
import type { Session } from '../signing.ts';
import { requireTypeArgs } from './arguments.ts';

/** An op and its package, from which a call is built. */
export interface CallableOp {
  /** Name of the package for people. */
  title: string;
  packageId: string;
  op: Manifest['ops'][number];
  /** Services that may act: that of the listing, or all of the package. */
  witnesses: readonly IntrospectedWitness[];
  /** Service types that act in the wallet, if the bytecode shows them. */
  services?: readonly string[];
}

/**
 * Reads an op of a listed service from its manifest. The manifest chooses the objects that the op uses, so it must come
 * from a publisher of the package: anyone may list any package, with an object of their own that receives the payment.
 * @throws UsageError if the service has no such op, or several; CommandFailedError for a stranger's listing, or if the
 * op is not executable
 */
export async function readListedOp(
  { market, network }: Session,
  service: string,
  name: string,
): Promise<CallableOp> {
  const query = { network, q: service.slice(0, searchTextMax) };
  const body = await market.api.listAdaptors({ query });
  const entry = parseResponse(catalogAnswer, body).adaptors.find(
    ({ serviceType }) => serviceType === service,
  );
  if (!entry) throw new CommandFailedError(`The catalog of ${network} has no ${service}.`);
  if (!entry.publisherVerified) {
    throw new CommandFailedError(
      `${service} was not listed by a publisher of its package: the op may use objects that its lister controls. ` +
        'To call the package with objects of your choice, give --package and --object.',
    );
  }
  const manifest = parseResponse(listedManifestSchema, entry.manifest);
  const { name: title, packageId } = manifest;
  const ops: readonly ListedOp[] = manifest.ops;
  const found = ops.filter((op) => name === op.entry || name === formatOpName(op));
  const [op] = found;
  if (!op || found.length > 1) {
    const known = ops.filter(isExecutable).map(formatOpName).join(', ') || 'none that can be executed';
    throw new UsageError(`${title} has ${op ? 'several' : 'no'} ${name}: ${known}.`);
  }
  if (!isExecutable(op)) {
    throw new CommandFailedError(`${title} lists ${name}, but it cannot be executed. ${opFault(op)?.detail}`);
  }
  return { title, packageId, op, witnesses: parseWitnesses(service) };
}

const formatOpName = ({ module, entry }: ListedOp) => `${module}::${entry}`;

/** Uses the requested service type, never one that the manifest names. */
function parseWitnesses(service: string): CallableOp['witnesses'] {
  const parsed = parseServiceType(service);
  if ('error' in parsed)
    throw new CommandFailedError(`${service} is not a valid service type: ${parsed.error}.`);
  return [{ module: parsed.module, name: parsed.witness, serviceType: parsed.canonical, warnings: [] }];
}

/** Options for a function that no manifest describes. */
interface PackageOpOptions {
  /** `function` or `module::function`. */
  name: string;
  objects: readonly string[];
  typeArgs: readonly string[] | undefined;
}

/**
 * Builds an op for a function of a package, listed or not, from its bytecode and the named objects.
 * @throws UsageError if the package has no such op, or the call lacks something; CommandFailedError if the function is
 * not a whole transaction
 */
export async function buildPackageOp(
  session: Session,
  packageId: string,
  { name, objects, typeArgs }: PackageOpOptions,
): Promise<CallableOp> {
  const { client, walletPackage } = session;
  const introspection = await introspect(nodePackages(client), packageId, {
    walletPackageId: walletPackage?.originalId,
  });
  const found = findOp(introspection, name);
  if (found.status !== 'found') {
    const which = 'names' in found ? `${found.status}: ${found.names.join(', ')}` : 'not found';
    throw new UsageError(`The function ${name} of ${packageId} is ${which}; introspect lists them.`);
  }
  const { module, entry, executable, reason, intentMode, services } = found.op;
  // A function that no action can call is still a whole call. The caller decides whether to call it without bounds.
  if (!executable && reason?.code !== 'needs_public' && reason?.code !== 'takes_random')
    throw new CommandFailedError(
      `${module}::${entry} cannot be called by a transaction alone: ${reason?.detail}`,
    );
  const provided = { objects: await readNamedObjects(session, objects), values: requiredValues(found.op) };
  if (typeArgs) requireTypeArgs(found.op, found.op.typeParams.length, typeArgs);
  const byObjects = draftCall(found.op, undefined, provided);
  typeArgs?.forEach((type, index) => {
    const own = byObjects.typeArgs[index];
    if (own === undefined || own === type) return;
    throw new UsageError(
      `--type-arg ${type}: as type argument ${index + 1} the op's objects are for ${own}.`,
    );
  });
  const { call, missing } = typeArgs ? draftCall(found.op, undefined, { ...provided, typeArgs }) : byObjects;
  if (!call) throw new UsageError(describeMissing(found.op, missing, provided.objects));
  const op = { kind: 'custom' as const, module, entry, call, ...(intentMode && { intentMode }) };
  const { witnesses } = introspection;
  return { title: packageId, packageId, op, witnesses, ...(services && { services }) };
}

async function readNamedObjects(
  { client, network }: Session,
  ids: readonly string[],
): Promise<NamedObject[]> {
  if (ids.length === 0) return [];
  const answer = await readFixedObjects(client, ids);
  if (answer.status === 'unavailable') {
    throw createNodeError(answer.reason);
  }
  const found = answer.status === 'found' ? answer.value : new Map<string, NamedObject>();
  const absent = ids.find((id) => !found.has(id));
  if (absent === undefined) return [...found.values()];
  throw new UsageError(
    `--object ${absent}: ${network} has no shared or immutable object of this id. Expected one that every transaction ` +
      'can use, such as a pool.',
  );
}

/** Lists the missing objects and types, and the types of the named objects. */
function describeMissing(
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

/**
 * Chooses the service that acts in a call: the requested one, the one whose witness the bytecode shows, the only one, or
 * the only one of the op's own module. A wrong choice is harmless: the wallet gives nothing to a service that the action
 * does not name.
 * @param requested `Name`, `module::Name` or the service type
 * @throws UsageError that lists the services to choose from
 */
export function chooseService(callable: CallableOp, requested: string | undefined): string {
  const { witnesses, op, services = [] } = callable;
  const acting = witnesses.filter(({ serviceType }) => services.includes(serviceType));
  const own = acting.length > 0 ? acting : witnesses.filter(({ module }) => module === op.module);
  try {
    const among = requested === undefined && own.length === 1 ? own : witnesses;
    return chooseWitness(among, requested).serviceType;
  } catch (error) {
    if (!(error instanceof WitnessUnresolvedError)) throw error;
    if (error.code === 'no_witness') {
      throw new UsageError(`${error.message} No service can act, so only --without-bounds calls it.`);
    }
    throw new UsageError([`${error.message} With --witness:`, ...error.serviceTypes].join('\n  '));
  }
}

import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  ask,
  callOptions,
  type PackageReader,
  toFunctionSignature,
} from '@adaptor-marketplace/adaptor/chain';
import {
  type FunctionLookup,
  isExecutable,
  listOpSteps,
  type OpMisfit,
  opMisfit,
  type StepSpec,
  type TypeFacts,
} from '@adaptor-marketplace/adaptor/manifest';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { ListedOps } from '../../../db/queries/checks.ts';

const timeoutMs = 10_000;

/** Other packages that a listing's ops call, by id; `undefined` for a package that does not exist. */
export type CalledPackages = ReadonlyMap<string, GrpcTypes.Package | undefined>;
export const noPackages: CalledPackages = new Map();

/** Maximum other packages to read for one listing: a manifest may name hundreds. Calls judge the other ops. */
const calledMax = 8;

/** Reads the other packages that the ops of a listing's manifest call; one that the node does not show is left out. */
export async function readCalled(
  { movePackageService }: PackageReader,
  manifest: ListedOps | undefined,
): Promise<CalledPackages> {
  const steps = (manifest?.ops ?? []).filter(isExecutable).flatMap(listOpSteps);
  const others = new Set(steps.map(findOtherPackage).filter((id) => id !== undefined));
  const read = [...others].slice(0, calledMax).map(async (packageId) => {
    const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
    if (answer.status === 'unavailable') return [];
    return [[packageId, answer.status === 'found' ? answer.value.package : undefined] as const];
  });
  return new Map((await Promise.all(read)).flat());
}

const findOtherPackage = ({ packageId }: StepSpec) => packageId && normalizeAddress(packageId);

/** Returns the ops whose calls do not fit the functions that they call; none if the manifest is not known. */
export function findMisfits(
  manifest: ListedOps | undefined,
  own: GrpcTypes.Package,
  called: CalledPackages,
): OpMisfit[] {
  if (!manifest) return [];
  const { manifestHash, ops } = manifest;
  const findFunction = (step: StepSpec): FunctionLookup => {
    const other = findOtherPackage(step);
    if (other !== undefined && !called.has(other)) return 'unread';
    const modules = (other === undefined ? own : called.get(other))?.modules ?? [];
    const functions = modules.find(({ name }) => name === step.module)?.functions;
    const described = functions?.find(({ name }) => name === step.entry);
    return described ? toFunctionSignature(described) : 'absent';
  };
  const facts = collectTypeFacts([own, ...called.values()]);
  return ops.flatMap((op, index): OpMisfit[] => {
    if (!isExecutable(op)) return [];
    const detail = opMisfit(op, listOpSteps(op).map(findFunction), facts);
    return detail === undefined ? [] : [{ code: 'function_mismatch', detail, index, manifestHash }];
  });
}

/** Returns the facts about the types of these packages. Functions name types by a package's original id. */
function collectTypeFacts(packages: readonly (GrpcTypes.Package | undefined)[]): TypeFacts {
  const abilities = new Map<string, { copy: boolean; drop: boolean }>();
  const originals = new Map<string, string>();
  for (const { originalId = '', modules } of packages.filter((pkg) => pkg !== undefined)) {
    for (const { name: module, datatypes } of modules) {
      for (const { name, abilities: own, definingId = '' } of datatypes) {
        const [copy, drop] = [GrpcTypes.Ability.COPY, GrpcTypes.Ability.DROP].map((one) => own.includes(one));
        abilities.set(`${originalId}::${module}::${name}`, { copy: copy!, drop: drop! });
        originals.set(definingId, originalId);
      }
    }
  }
  return {
    can: (typeName) => abilities.get(typeName),
    findOriginalId: (packageId) => originals.get(packageId),
  };
}

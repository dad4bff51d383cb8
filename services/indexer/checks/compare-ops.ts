import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { toFunctionSignature } from '@adaptor-marketplace/adaptor/chain';
import {
  type FunctionLookup,
  isExecutable,
  listOpSteps,
  type OpCoins,
  type OpMisfit,
  opMisfit,
  type StepSpec,
  type TypeFacts,
} from '@adaptor-marketplace/adaptor/manifest';
import { inferCoins } from '@adaptor-marketplace/adaptor/transactions';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { ListedOps } from '../../../db/queries/checks.ts';
import { type CalledPackages, findOtherPackage } from './called-packages.ts';
import type { ObjectTypes } from './object-types.ts';

/** Ops of a listing's manifest, compared with the chain. */
export interface ComparedOps {
  /** Ops that no transaction can call in the way that the manifest says. */
  misfits: OpMisfit[];
  /** Ops whose coins their fixed objects settle. */
  coins: OpCoins[];
  /** `true` if a function or a fixed object of an op was not read. */
  isPartial: boolean;
}

/**
 * Compares the ops of a manifest with the functions that they call, and with the types of the objects that they fix.
 * @param types types of fixed objects by id, of those that are known
 */
export async function compareWithChain(
  { manifestHash, ops }: ListedOps,
  { pkg, called, types }: { pkg: GrpcTypes.Package; called: CalledPackages; types: ObjectTypes },
): Promise<ComparedOps> {
  const findFunction = (step: StepSpec): FunctionLookup => {
    const other = findOtherPackage(step);
    if (other !== undefined && !called.has(other)) return 'unread';
    const modules = (other === undefined ? pkg : called.get(other))?.modules ?? [];
    const functions = modules.find(({ name }) => name === step.module)?.functions;
    const described = functions?.find(({ name }) => name === step.entry);
    return described ? toFunctionSignature(described) : 'absent';
  };
  const facts = collectTypeFacts([pkg, ...called.values()]);
  const compared: ComparedOps = { misfits: [], coins: [], isPartial: false };
  const findType = (id: string) => {
    const type = types.get(normalizeAddress(id) ?? id);
    compared.isPartial ||= type === undefined;
    return type;
  };
  for (const [index, op] of ops.entries()) {
    if (!isExecutable(op)) continue;
    const steps = listOpSteps(op);
    const functions = steps.map(findFunction);
    compared.isPartial ||= functions.includes('unread');
    const addMisfit = (detail: string) =>
      compared.misfits.push({ code: 'function_mismatch', detail, index, manifestHash });
    const detail = opMisfit(op, functions, facts);
    if (detail !== undefined) {
      addMisfit(detail);
      continue;
    }
    const calls = steps.flatMap((spec, index) => {
      const { parameters } = typeof functions[index] === 'object' ? functions[index] : {};
      return parameters ? [{ spec, parameters }] : [];
    });
    const settled = await inferCoins(calls, findType, async (id) => facts.findOriginalId(id));
    if ('why' in settled) addMisfit(settled.why);
    else if (settled.coinIn !== undefined || settled.coinOut !== undefined) {
      const { coinIn = null, coinOut = null } = settled;
      compared.coins.push({ coinIn, coinOut, index, manifestHash });
    }
  }
  return compared;
}

/** Returns the facts about the types of these packages. Functions name types by a package's original id. */
function collectTypeFacts(packages: readonly (GrpcTypes.Package | undefined)[]): Required<TypeFacts> {
  const abilities = new Map<string, { copy: boolean; drop: boolean }>();
  const originals = new Map<string, string>();
  for (const { originalId = '', modules } of packages.filter((one) => one !== undefined)) {
    for (const { name: module, datatypes } of modules) {
      for (const { name, abilities: declared, definingId = '' } of datatypes) {
        const [copy, drop] = [GrpcTypes.Ability.COPY, GrpcTypes.Ability.DROP].map((one) =>
          declared.includes(one),
        );
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

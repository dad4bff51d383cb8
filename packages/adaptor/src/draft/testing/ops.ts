import type { Inference } from '../../infer/inference.ts';
import type { IntrospectedOp, IntrospectedParam, ParamRole } from '../../introspect/types.ts';

export const address = (last: string) => `0x${last.padStart(64, '0')}`;
export const packageId = address('ad');
export const poolType = `${address('b')}::pool::Pool`;
export const sui = `${address('2')}::sui::SUI`;
export const usd = `${address('c')}::usd::USD`;

/** A parameter of a role. Its default type is a typical one for the role. */
export function param(role: ParamRole, more: Partial<IntrospectedParam> = {}): IntrospectedParam {
  const { type = typeByRole[role], reference = referenceByRole[role] ?? 'none' } = more;
  const prefix = { none: '', immutable: '&', mutable: '&mut ' }[reference];
  return { typeStr: `${prefix}${type}`, type, reference, role, confidence: 'high', ...more };
}

const typeByRole: Record<ParamRole, string> = {
  wallet: `${address('a')}::wallet::Wallet`,
  amount: 'u64',
  minOut: 'u64',
  object: `${poolType}<T0, T1>`,
  clock: `${address('2')}::clock::Clock`,
  pure: 'u32',
  ctx: `${address('2')}::tx_context::TxContext`,
};
const referenceByRole: Partial<Record<ParamRole, IntrospectedParam['reference']>> = {
  wallet: 'mutable',
  object: 'mutable',
  clock: 'immutable',
  ctx: 'mutable',
};

/** An op that is by default a swap of T0 for T1 in a pool. */
export function op(more: Partial<IntrospectedOp> = {}): IntrospectedOp {
  const roles: ParamRole[] = ['wallet', 'object', 'amount', 'minOut', 'clock', 'ctx'];
  const { module = 'dex', entry = 'swap', params = roles.map((role) => param(role)) } = more;
  const typeParams = more.typeParams ?? [
    { constraints: [], role: 'coinIn' },
    { constraints: [], role: 'coinOut' },
  ];
  return {
    module,
    entry,
    fqn: `${packageId}::${module}::${entry}`,
    visibility: 'public',
    isEntry: false,
    touchesWallet: true,
    executable: true,
    paramCount: params.length,
    typeParamCount: typeParams.length,
    params,
    typeParams,
    intentMode: 'D',
    coinsIn: ['T0'],
    coinsOut: ['T1'],
    movesAsset: false,
    ...more,
  };
}

type Argument = Inference['args'][number];
const use = { count: 3, lastMs: 1_000 };
export const callers = {
  calls: 3,
  senders: 2,
  latest: ['e1', 'e2'].map((of) => ({ sender: address(of), digest: `digest ${of}` })),
};

/** Facts from past calls of an op: `objects` and `values` by the argument's index, `types` by the type parameter's. */
export function past(
  { module, entry, params }: IntrospectedOp,
  seen: {
    objects?: Record<number, { id: string; type?: string }[]>;
    values?: Record<number, string[]>;
    types?: string[][];
    /** Values that all calls agree on. They are in `values` too. */
    agreed?: Record<number, string>;
  } = {},
): Inference {
  const args = params
    .filter(({ role }) => role !== 'ctx')
    .map((_, index): Argument => {
      const objects = seen.objects?.[index] ?? [];
      const values = seen.values?.[index] ?? [];
      return {
        objectCandidates: objects.map(({ id: objectId, type }) => ({
          objectId,
          kind: 'shared',
          initialSharedVersion: '1',
          mutable: true,
          ...use,
          ...(type && { type }),
        })),
        singleton: objects.length === 1 ? objects[0]!.id : null,
        singletonFrom: objects.length === 1 ? callers : null,
        ...(seen.agreed &&
          index in seen.agreed && { singleton: seen.agreed[index]!, singletonFrom: callers }),
        pureCandidates: values.map((value) => ({ type: 'u32', value, ...use })),
        distinct: objects.length + values.length,
        owned: 0,
        results: 0,
      };
    });
  const typeArgCandidates = (seen.types ?? []).map((types) => types.map((type) => ({ type, ...use })));
  const sampleTypeArgs = typeArgCandidates.map(([latest]) => latest!.type);
  const counts = { args, sampleTypeArgs, typeArgCandidates, samples: 3, sequence: null };
  return { packageId, module, entry, ...counts, truncated: false };
}

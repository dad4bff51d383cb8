import type { FunctionDefJson } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule } from './code/module.ts';
import { abilityNames, isSystemType, type MoveType, referent, writeType } from './code/move-type.ts';
import type { Program } from './code/program.ts';
import { explainNotExecutable, visibilities } from './executable.ts';
import type { IntentMode, Summary } from './flow/summary.ts';
import { type Guess, guessRoles, isWallet } from './roles.ts';
import type { IntrospectedOp, IntrospectedParam, IntrospectedTypeParam } from './types.ts';

/** Shared objects of the chain itself. */
const systemObjects: readonly [path: string, objectId: string][] = [
  ['0x3::sui_system::SuiSystemState', '0x5'],
  ['0x2::random::Random', '0x8'],
  ['0x2::accumulator::AccumulatorRoot', '0xacc'],
  ['0x2::deny_list::DenyList', '0x403'],
];

/** Describes a function as an operation, from its signature and its data flow. */
export function describeOp(
  program: Program,
  module: CodeModule,
  definition: FunctionDefJson,
  summary: Summary,
  isOwnWallet: (address: string) => boolean,
): IntrospectedOp {
  const handle = module.handle(definition.function);
  const write = (type: MoveType) => writeType(type, program.definingId);
  const guesses = guessRoles(handle, summary, isOwnWallet);
  const params = handle.parameters.map((type, i) => describeParam(type, guesses[i]!, write));
  const called = { visibility: visibilities[definition.visibility], isEntry: definition.is_entry };
  const reason = explainNotExecutable(called, handle, params, write);
  const coins = (kind: 'takes' | 'brings') => [
    ...new Set(summary.facts.flatMap((fact) => (fact.kind === kind && fact.coin ? [write(fact.coin)] : []))),
  ];
  const [coinsIn, coinsOut] = [coins('takes'), coins('brings')];
  // Money that another call of the transaction brings in: this op only has a minimum for it.
  const promised = [
    ...new Set(params.flatMap(({ role, coin }) => (role === 'minOut' && coin ? [coin] : []))),
  ];
  const modes = new Set(
    summary.facts.flatMap(({ kind, mode }): (IntentMode | undefined)[] => (kind === 'takes' ? [mode] : [])),
  );
  const [intentMode] = modes.size === 1 ? modes : [];
  const services = listServices(summary)?.map(write);
  const signature = [...handle.parameters, ...handle.returns];
  const moves = summary.facts.some(({ kind }) => kind === 'takes' || kind === 'brings' || kind === 'asset');
  return {
    module: module.name,
    entry: handle.name,
    fqn: `${program.root.id}::${module.name}::${handle.name}`,
    ...called,
    touchesWallet: moves || signature.some((type) => isWalletType(program, type)),
    executable: reason === undefined,
    ...(reason && { reason }),
    paramCount: params.length,
    typeParamCount: handle.constraints.length,
    params,
    typeParams: handle.constraints.map((constraints, i) => ({
      constraints: abilityNames(constraints),
      ...inferTypeParamRole(`T${i}`, coinsIn, reason?.code === 'returns_hot_potato' ? promised : coinsOut),
    })),
    ...(intentMode && { intentMode }),
    coinsIn,
    coinsOut,
    movesAsset: summary.facts.some(({ kind }) => kind === 'asset'),
    ...(services && { services: [...new Set(services)] }),
  };
}

/** Lists the witnesses that act. Returns undefined if one is not known, or if code was not read. */
function listServices({ facts, cut }: Summary): MoveType[] | undefined {
  const acting = facts.filter((fact) => 'service' in fact).map(({ service }) => service);
  const isKnown = acting.every((service) => service?.kind === 'datatype');
  if (cut || !isKnown || facts.some(({ kind }) => kind === 'escapes')) return undefined;
  return acting;
}

function describeParam(
  type: MoveType,
  { role, confidence, name, coin }: Guess,
  write: (type: MoveType) => string,
): IntrospectedParam {
  const held = referent(type);
  const system = systemObjects.find(([path]) => isSystemType(held, path));
  const byReference = type.kind === 'reference';
  return {
    typeStr: write(type),
    type: write(held),
    reference: byReference ? (type.mutable ? 'mutable' : 'immutable') : 'none',
    role,
    confidence,
    ...(name !== undefined && { name }),
    ...(coin && { coin: write(coin) }),
    ...(system && { objectId: system[1] }),
  };
}

function inferTypeParamRole(
  name: string,
  coinsIn: readonly string[],
  coinsOut: readonly string[],
): Pick<IntrospectedTypeParam, 'role'> {
  const [coinIn, ...othersIn] = coinsIn;
  if (coinIn === name && othersIn.length === 0) return { role: 'coinIn' };
  // Coins that were taken and not needed may come back too.
  const [coinOut, ...othersOut] = coinsOut.filter((coin) => !coinsIn.includes(coin));
  return coinOut === name && othersOut.length === 0 ? { role: 'coinOut' } : {};
}

/** Returns `true` for a wallet, and for a value that a wallet's package hands out within a transaction. */
function isWalletType(program: Program, type: MoveType): boolean {
  const held: MoveType = referent(type);
  if (isWallet(held)) return true;
  return held.kind === 'datatype' && held.module === 'intent' && program.definesWallet(held.address);
}

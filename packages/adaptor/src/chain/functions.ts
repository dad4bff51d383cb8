import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';

/** A parameter of a Move function. */
export interface Parameter {
  reference: 'none' | 'immutable' | 'mutable';
  type: GrpcTypes.OpenSignatureBody;
}

/** What a transaction must give a function. */
export interface FunctionSignature {
  /** Whether transactions can name it: it is public or entry. */
  isCallable: boolean;
  typeParameters: number;
  /** Without the transaction context at their end. */
  parameters: Parameter[];
}

export interface FunctionReader {
  /** The signature of a function; absent where there is none. */
  signature(packageId: string, module: string, name: string): Promise<Answer<FunctionSignature>>;
}

const timeoutMs = 5_000;
const cachedMax = 2_000;
const { FunctionDescriptor_Visibility: Visibility, OpenSignature_Reference: Reference } = GrpcTypes;
const context = /^0x0*2::tx_context::TxContext$/;

/** A published function never changes: each is asked for once while it is cached. */
export function functionReader(client: Pick<SuiGrpcClient, 'movePackageService'>): FunctionReader {
  const cache = new LRUCache<string, FunctionSignature>({ max: cachedMax });
  return {
    async signature(packageId, moduleName, name) {
      const key = `${packageId}::${moduleName}::${name}`;
      const known = cache.get(key);
      if (known) return { status: 'found', value: known };
      const request = { packageId, moduleName, name };
      const answer = await ask(client.movePackageService.getFunction(request, callOptions(timeoutMs)));
      if (answer.status !== 'found') return answer;
      const value = signatureOf(answer.value.function ?? GrpcTypes.FunctionDescriptor.create());
      cache.set(key, value);
      return { status: 'found', value };
    },
  };
}

/** A function as the node's API describes it. */
export function signatureOf(described: GrpcTypes.FunctionDescriptor): FunctionSignature {
  const { visibility, isEntry = false, typeParameters } = described;
  const parameters = described.parameters.map(toParameter);
  if (context.test(parameters.at(-1)?.type.typeName ?? '')) parameters.pop();
  const isCallable = isEntry || visibility === Visibility.PUBLIC;
  return { isCallable, typeParameters: typeParameters.length, parameters };
}

function toParameter({ reference, body }: GrpcTypes.OpenSignature): Parameter {
  const type = body ?? { typeParameterInstantiation: [] };
  if (reference === Reference.MUTABLE) return { reference: 'mutable', type };
  return { reference: reference === Reference.IMMUTABLE ? 'immutable' : 'none', type };
}

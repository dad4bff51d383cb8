import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';

/** A parameter of a Move function. */
export interface Parameter {
  reference: 'none' | 'immutable' | 'mutable';
  type: GrpcTypes.OpenSignatureBody;
}

export interface FunctionReader {
  /** The parameters of a function, without the transaction context at their end; undefined where there is none. */
  parameters(packageId: string, module: string, name: string): Promise<Answer<Parameter[]>>;
}

const timeoutMs = 5_000;
const keptMax = 2_000;
const { OpenSignature_Reference: Reference } = GrpcTypes;
const context = /^0x0*2::tx_context::TxContext$/;

/** A published function never changes: each is asked for once while it is kept. */
export function functionReader(client: Pick<SuiGrpcClient, 'movePackageService'>): FunctionReader {
  const kept = new LRUCache<string, Parameter[]>({ max: keptMax });
  return {
    async parameters(packageId, moduleName, name) {
      const key = `${packageId}::${moduleName}::${name}`;
      const known = kept.get(key);
      if (known) return { status: 'found', value: known };
      const request = { packageId, moduleName, name };
      const answer = await ask(client.movePackageService.getFunction(request, callOptions(timeoutMs)));
      if (answer.status !== 'found') return answer;
      const value = (answer.value.function?.parameters ?? []).map(toParameter);
      if (context.test(value.at(-1)?.type.typeName ?? '')) value.pop();
      kept.set(key, value);
      return { status: 'found', value };
    },
  };
}

function toParameter({ reference, body }: GrpcTypes.OpenSignature): Parameter {
  const type = body ?? { typeParameterInstantiation: [] };
  if (reference === Reference.MUTABLE) return { reference: 'mutable', type };
  return { reference: reference === Reference.IMMUTABLE ? 'immutable' : 'none', type };
}

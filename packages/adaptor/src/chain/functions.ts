import { GrpcTypes } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';

/** A parameter of a Move function. */
export interface Parameter {
  reference: 'none' | 'immutable' | 'mutable';
  type: GrpcTypes.OpenSignatureBody;
}

/** Parameters and results of a Move function, for a transaction that calls it. */
export interface FunctionSignature {
  /** True for public and for entry functions: a transaction can call them. */
  isCallable: boolean;
  /** True for public functions: a call can take results of earlier calls in the transaction. */
  isPublic: boolean;
  typeParameters: number;
  /** In order, without the transaction context at the end. */
  parameters: Parameter[];
  returns: Parameter[];
}

/** The part of a `SuiGrpcClient` that reads functions. */
export interface FunctionClient {
  movePackageService: {
    getFunction(
      request: GrpcTypes.GetFunctionRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetFunctionResponse }>;
  };
}

/** A cache of function signatures. */
export interface FunctionReader {
  /** Reads the signature of a function; `absent` if there is none. */
  signature(packageId: string, module: string, name: string): Promise<Answer<FunctionSignature>>;
}

const timeoutMs = 5_000;
const cachedMax = 2_000;
const {
  FunctionDescriptor_Visibility: Visibility,
  OpenSignature_Reference: Reference,
  OpenSignatureBody_Type: Kind,
} = GrpcTypes;
const context = /^0x0*2::tx_context::TxContext$/;

/** A full node answers INTERNAL with these words for a function or a module that a package lacks. */
const lacksFunction = /^INTERNAL: (?:Function|Module) not found: /;

/** Reads one function of a package; `absent` if the package or the chain does not have it. */
export async function readFunction(
  client: FunctionClient,
  request: { packageId: string; moduleName: string; name: string },
): Promise<Answer<GrpcTypes.FunctionDescriptor>> {
  const answer = await ask(client.movePackageService.getFunction(request, callOptions(timeoutMs)));
  if (answer.status === 'found') {
    return { status: 'found', value: answer.value.function ?? GrpcTypes.FunctionDescriptor.create() };
  }
  const { reason } = answer;
  return lacksFunction.test(reason) ? { status: 'absent', reason } : answer;
}

/** Caches signatures without expiry, since a published function never changes. */
export function createFunctionReader(client: FunctionClient): FunctionReader {
  const cache = new LRUCache<string, FunctionSignature>({ max: cachedMax });
  return {
    async signature(packageId, moduleName, name) {
      const key = `${packageId}::${moduleName}::${name}`;
      const known = cache.get(key);
      if (known) return { status: 'found', value: known };
      const answer = await readFunction(client, { packageId, moduleName, name });
      if (answer.status !== 'found') return answer;
      const value = toFunctionSignature(answer.value);
      cache.set(key, value);
      return { status: 'found', value };
    },
  };
}

/** Converts a function from the form of the node's API. */
export function toFunctionSignature(described: GrpcTypes.FunctionDescriptor): FunctionSignature {
  const { visibility, isEntry = false, typeParameters } = described;
  const parameters = described.parameters.map(toParameter);
  if (context.test(parameters.at(-1)?.type.typeName ?? '')) parameters.pop();
  const isPublic = visibility === Visibility.PUBLIC;
  const isCallable = isEntry || isPublic;
  const returns = described.returns.map(toParameter);
  return { isCallable, isPublic, typeParameters: typeParameters.length, parameters, returns };
}

function toParameter({ reference, body }: GrpcTypes.OpenSignature): Parameter {
  const type = body ?? { typeParameterInstantiation: [] };
  if (reference === Reference.MUTABLE) return { reference: 'mutable', type };
  return { reference: reference === Reference.IMMUTABLE ? 'immutable' : 'none', type };
}

/** Names of the primitive types, by the node's enum. */
export const primitiveNames: ReadonlyMap<GrpcTypes.OpenSignatureBody_Type | undefined, string> = new Map([
  [Kind.ADDRESS, 'address'],
  [Kind.BOOL, 'bool'],
  [Kind.U8, 'u8'],
  [Kind.U16, 'u16'],
  [Kind.U32, 'u32'],
  [Kind.U64, 'u64'],
  [Kind.U128, 'u128'],
  [Kind.U256, 'u256'],
]);

/** The type of a parameter in Move's spelling, with the call's type arguments filled in. */
export function typeText(type: GrpcTypes.OpenSignatureBody, typeArguments: readonly string[]): string {
  const inner = () => type.typeParameterInstantiation.map((one) => typeText(one, typeArguments));
  if (type.type === Kind.TYPE_PARAMETER) return typeArguments[type.typeParameter ?? 0] ?? '';
  if (type.type === Kind.VECTOR) return `vector<${inner()[0]}>`;
  if (type.type !== Kind.DATATYPE) return primitiveNames.get(type.type) ?? '';
  const given = inner();
  return `${type.typeName}${given.length > 0 ? `<${given.join(',')}>` : ''}`;
}

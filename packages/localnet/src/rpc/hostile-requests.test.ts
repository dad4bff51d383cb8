import { GrpcTypes, RpcError, SuiGrpcClient } from '@mysten/sui/grpc';
import type { FieldInfo, IMessageType } from '@protobuf-ts/runtime';
import { ScalarType } from '@protobuf-ts/runtime';
import type { MethodInfo, ServiceType } from '@protobuf-ts/runtime-rpc';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

/** Answers for a part that a package lacks have this code on public nodes too. */
const lacksPart = /^INTERNAL: (?:Module not found: |Function not found: |Datatype '.*' not found)/;

let localnet: Localnet;
let client: SuiGrpcClient;
beforeAll(async () => {
  localnet = await startTestLocalnet();
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl, format: 'binary' });
});
afterAll(() => localnet.close());

const words = fc.constantFrom(
  ...['', '0x2', '0x6', `0x${'0'.repeat(63)}2`, '0x2::coin::Coin<0x2::sui::SUI>', 'coin', 'Coin', 'split'],
  ...['0x2::sui::SUI', 'vector<u8>', '*', 'digest', 'events.events.json', '1'.repeat(44), '\u0000', '💧'],
);
const numbers: Partial<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: fc.oneof(words, fc.string({ maxLength: 80 })),
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 60 }),
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.UINT64]: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  [ScalarType.INT64]: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  [ScalarType.DOUBLE]: fc.double(),
};

/** Any message of a type, of bounded depth. */
function messageOf(type: IMessageType<object>, depth: number): fc.Arbitrary<object> {
  const fields = type.fields.filter(
    (field) => field.kind !== 'map' && (field.kind !== 'message' || depth > 0),
  );
  const plain = fields.filter((field) => !field.oneof);
  const choices = Map.groupBy(
    fields.filter((field) => field.oneof),
    (field) => field.oneof!,
  );
  const entries: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of plain) {
    const one = fieldValue(field, depth);
    const isList = field.kind !== 'map' && field.repeat;
    entries[field.localName] = isList
      ? fc.array(one, { maxLength: 3 })
      : fc.option(one, { nil: undefined, freq: 4 });
  }
  for (const [name, branches] of choices) {
    const branch = (field: FieldInfo) =>
      fieldValue(field, depth).map((value) => ({ oneofKind: field.localName, [field.localName]: value }));
    entries[name] = fc.oneof(fc.constant({ oneofKind: undefined }), ...branches.map(branch));
  }
  return fc.record(entries).map((fields) => type.create(fields));
}

const ids = fc.constantFrom('0x2', '0x6', '0x1', '0x123', 'x');
const masks = fc.constantFrom({ paths: ['*'] }, { paths: ['*'] }, { paths: [] }, { paths: ['nothing'] });

/** Mostly plausible, so that requests get past the first check. */
function fieldValue(field: FieldInfo, depth: number): fc.Arbitrary<unknown> {
  if (field.kind === 'message') {
    const type = field.T();
    return type.typeName === 'google.protobuf.FieldMask' ? masks : messageOf(type, depth - 1);
  }
  if (field.kind !== 'scalar') return fc.nat({ max: 12 });
  if (field.T === ScalarType.STRING && /owner|sender|address|_id$|package|parent/.test(field.name))
    return ids;
  return numbers[field.T] ?? fc.nat({ max: 2 ** 31 - 1 });
}

async function call(service: ServiceType, method: MethodInfo, request: object): Promise<string> {
  const services: Record<string, object> = {
    [GrpcTypes.LedgerService.typeName]: client.ledgerService,
    [GrpcTypes.StateService.typeName]: client.stateService,
    [GrpcTypes.MovePackageService.typeName]: client.movePackageService,
    [GrpcTypes.TransactionExecutionService.typeName]: client.transactionExecutionService,
    [GrpcTypes.NameService.typeName]: client.nameService,
    [GrpcTypes.SignatureVerificationService.typeName]: client.signatureVerificationService,
    [GrpcTypes.ForkingService.typeName]: client.forkingService,
  };
  const target = services[service.typeName] as Record<string, (request: object) => never>;
  try {
    const answer: PromiseLike<unknown> & { responses?: AsyncIterable<unknown> } =
      target[method.localName]!(request);
    if (method.serverStreaming) for await (const _frame of answer.responses!);
    else await answer;
    return 'OK';
  } catch (error) {
    return error instanceof RpcError ? `${error.code}: ${error.message}` : String(error);
  }
}

describe('no request, however odd, is more than refused', () => {
  test.each(
    [
      GrpcTypes.LedgerService,
      GrpcTypes.StateService,
      GrpcTypes.MovePackageService,
      GrpcTypes.TransactionExecutionService,
      GrpcTypes.NameService,
      GrpcTypes.SignatureVerificationService,
      GrpcTypes.ForkingService,
    ].flatMap((service) => service.methods.map((method) => [method.name, service, method] as const)),
  )('%s', async (_name, service, method) => {
    await fc.assert(
      fc.asyncProperty(messageOf(method.I, 5), async (request) => {
        const answer = await call(service, method, request);
        if (lacksPart.test(answer)) return;
        expect(answer).not.toMatch(/^(INTERNAL|UNKNOWN|\w*Error)/);
      }),
      { numRuns: 40 },
    );
  });
});

test('a batch of large things is refused as a whole when its answer would be too large', async () => {
  const requests = Array.from({ length: 1_000 }, () => ({ objectId: '0x2' }));
  const whole = client.ledgerService.batchGetObjects({ requests, readMask: { paths: ['*'] } });
  await expect(whole).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
  const { response } = await client.ledgerService.batchGetObjects({ requests });
  expect(response.objects.every(({ result }) => result.oneofKind === 'object')).toBe(true);
});

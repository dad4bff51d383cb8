import { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Blocks } from './document.ts';
import { featureTables } from './features.ts';
import type { Result } from './run-cases.ts';

const services = [
  GrpcTypes.LedgerService,
  GrpcTypes.StateService,
  GrpcTypes.MovePackageService,
  GrpcTypes.SubscriptionService,
  GrpcTypes.TransactionExecutionService,
  GrpcTypes.SignatureVerificationService,
  GrpcTypes.NameService,
  GrpcTypes.ForkingService,
];

/** What public networks have at addresses that are known beforehand. */
const systemAddresses = {
  '0x1': 'the package `std`',
  '0x2': 'the package `sui`',
  '0x3': 'the package `sui_system`: validators and staking',
  '0x5': 'system state',
  '0x6': 'clock',
  '0x7': 'authenticator state: the keys of zkLogin, none here',
  '0x8': 'randomness',
  '0x9': 'bridge',
  '0xa': 'address aliases',
  '0xb': 'the package `bridge`',
  '0xc': 'coin registry',
  '0xd': 'display registry',
  '0x403': 'deny list',
  '0xacc': 'accumulator root: address balances as of the last checkpoint, in dynamic fields',
  '0xdee9': 'the package `deepbook`',
};

/** What the tables of the document say: all of it was found by this run. `key` has coins on the network at `url`. */
export async function tablesOf(
  results: readonly Result[],
  { url, key }: { url: string; key: Ed25519Keypair },
): Promise<Blocks> {
  return {
    methods: methodsTable(results),
    'system objects': await systemObjects(url),
    ...(await featureTables(url, key)),
  };
}

/** Every method of the API with the number of its cases that pass. */
function methodsTable(results: readonly Result[]): string {
  const rows = services.map(({ typeName, methods }) => {
    const service = typeName.split('.').at(-1)!;
    const cells = methods.map(({ name }) => {
      const own = results.filter(({ case: { about } }) => about.split(', ').some((each) => each === name));
      const of = own.length > 0 ? own : results.filter(({ case: { about } }) => about === service);
      const passed = of.filter(({ outcome }) => outcome === 'pass');
      return `\`${name}\` ${new Set(passed.map(({ case: { name: rule } }) => rule)).size}`;
    });
    return `| \`${service}\` | ${cells.join(', ')} |`;
  });
  return ['| service | methods, each with the number of its cases |', '|---|---|', ...rows].join('\n');
}

/** The objects of the system that the network at `url` has, by their addresses. */
async function systemObjects(url: string): Promise<string> {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: url });
  const rows = Object.entries(systemAddresses).map(async ([objectId, what]) => {
    const { response } = await client.ledgerService.batchGetObjects({
      requests: [{ objectId }],
      readMask: { paths: ['object_type'] },
    });
    const { result } = response.objects[0]!;
    const type = result.oneofKind === 'object' ? result.object.objectType : undefined;
    const here = type && (type === 'package' ? 'yes' : `\`${type.replace(/^0x0+/, '0x')}\``);
    return `| \`${objectId}\` | ${what} | ${here ?? 'no'} |`;
  });
  return ['| address | on public networks | here |', '|---|---|---|', ...(await Promise.all(rows))].join(
    '\n',
  );
}

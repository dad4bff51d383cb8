import { register, unlist } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { DemoFile } from '../../services/demo/file.ts';

/** Lists and unlists an adaptor of the demo, as its publisher. Each call makes one event. */
export async function openPublisher(demo: DemoFile, baseUrl: string) {
  const { serviceType } = demo.venues.swap;
  const { adaptors } = await (await fetch(`${baseUrl}/api/adaptors`)).json();
  const listed = adaptors.find((one: { serviceType: string }) => one.serviceType === serviceType);
  const { address, secretKey } = demo.publishers.find((one) => one.address === listed.publisher)!;
  const keypair = Ed25519Keypair.fromSecretKey(secretKey);
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  const account = { address, keypair, client };
  const registry = { packageId: demo.packages.registry, objectId: demo.objects.registry };
  return {
    serviceType,
    unlist: () => execute(account, (tx) => unlist(tx, registry, serviceType)),
    list: () => execute(account, (tx) => register(tx, registry, listed)),
  };
}

/** Reads the balance of the demo's provider, in MIST: `describeSpend` pays it. */
export async function readProviderBalance({ provider, rpcUrl }: DemoFile): Promise<bigint> {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: rpcUrl });
  const { balance } = await client.core.getBalance({ owner: provider.address, coinType: '0x2::sui::SUI' });
  return BigInt(balance.balance);
}

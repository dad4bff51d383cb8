import { faucetKeypair } from '@adaptor-marketplace/localnet/ledger/genesis';
import { ChannelCredentials } from '@grpc/grpc-js';
import { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';
import type { Created, Reference, Signed } from './workload.ts';

const { ChangedObject_OutputObjectState: Output } = GrpcTypes;

/** A client over native gRPC, with as little work of its own as the measured calls allow. */
export class Client {
  readonly #transport: GrpcTransport;
  readonly #client: SuiGrpcClient;

  constructor(url: string) {
    this.#transport = new GrpcTransport({
      host: new URL(url).host,
      channelCredentials: ChannelCredentials.createInsecure(),
    });
    this.#client = new SuiGrpcClient({ network: 'localnet', transport: this.#transport });
  }

  close(): void {
    this.#transport.close();
  }

  async serviceInfo(): Promise<void> {
    await this.#client.ledgerService.getServiceInfo({});
  }

  /** One of the coins that genesis made. */
  async firstGas(): Promise<Reference> {
    const { objects } = await this.#client.listCoins({ owner: faucetKeypair().toSuiAddress(), limit: 1 });
    return objects[0]!;
  }

  /** Executes, and hears the digest and the status. Throws when it fails. */
  async execute(transaction: Signed): Promise<void> {
    await this.#execute(transaction, ['digest', 'effects.status']);
  }

  /** Executes, and hears what it created. */
  async create(transaction: Signed): Promise<Created> {
    const effects = await this.#execute(transaction, ['effects']);
    const created = effects.changedObjects.filter(
      ({ idOperation }) => idOperation === GrpcTypes.ChangedObject_IdOperation.CREATED,
    );
    return {
      gas: referenceTo(effects.gasObject!),
      objects: created.map((object) => ({
        ...referenceTo(object),
        type: object.outputState === Output.PACKAGE_WRITE ? 'package' : object.objectType!,
      })),
    };
  }

  async #execute({ bytes, signature }: Signed, paths: string[]): Promise<GrpcTypes.TransactionEffects> {
    const { response } = await this.#client.transactionExecutionService.executeTransaction({
      transaction: { bcs: { value: bytes } },
      signatures: [{ bcs: { value: signature }, signature: { oneofKind: undefined } }],
      readMask: { paths },
    });
    const effects = response.transaction!.effects!;
    if (!effects.status?.success) throw new Error(JSON.stringify(effects.status?.error?.description));
    return effects;
  }
}

function referenceTo(object: GrpcTypes.ChangedObject): Reference {
  return {
    objectId: object.objectId!,
    version: String(object.outputVersion),
    digest: object.outputDigest!,
  };
}

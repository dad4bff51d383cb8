import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { suiType } from '../../ledger/move-types.ts';
import type { ObjectRecord } from '../../ledger/types.ts';
import { SUI } from '../../vm/framework.ts';
import type { ChainView } from '../chain-view.ts';
import { notFound } from '../server/status.ts';

/** `0x2::coin::CoinMetadata<T>`. */
const CoinMetadata = bcs.struct('CoinMetadata', {
  id: bcs.Address,
  decimals: bcs.u8(),
  name: bcs.string(),
  symbol: bcs.string(),
  description: bcs.string(),
  iconUrl: bcs.option(bcs.string()),
});

/** `0x2::coin::TreasuryCap<T>`. */
const TreasuryCap = bcs.struct('TreasuryCap', { id: bcs.Address, totalSupply: bcs.u64() });

/** SUI has no metadata object on this network. */
const suiMetadata: GrpcTypes.CoinMetadata = {
  decimals: 9,
  name: 'Sui',
  symbol: 'SUI',
  description: '',
};

/**
 * Metadata and treasury of a coin type (canonical). They are looked for among what the transaction created
 * that published the coin's package, where currencies come from.
 *
 * @throws GrpcError NOT_FOUND when there is no such coin.
 */
export function coinInfo(view: ChainView, coinType: string): GrpcTypes.GetCoinInfoResponse {
  if (coinType === suiType) return { coinType, metadata: suiMetadata };
  const created = (name: string) =>
    createdAtPublication(view, coinType, `${SUI}::coin::${name}<${coinType}>`);
  const metadata = created('CoinMetadata');
  const treasury = created('TreasuryCap');
  if (!metadata && !treasury) throw notFound(`Coin type ${coinType.slice(0, 300)} not found`);
  return {
    coinType,
    ...(metadata && { metadata: metadataMessage(metadata) }),
    ...(treasury && { treasury: treasuryMessage(treasury) }),
  };
}

function createdAtPublication({ ledger }: ChainView, coinType: string, type: string) {
  const packageId = coinType.split('::')[0] ?? '';
  const publication = ledger.getObject(packageId)?.previousTransaction;
  const transaction = publication && ledger.getTransaction(publication);
  const touched = transaction ? transaction.objects.find((object) => object.type === type) : undefined;
  const object = touched && ledger.getObject(touched.id);
  return object?.kind === 'move' ? object : undefined;
}

type MoveRecord = ObjectRecord & { kind: 'move' };

function metadataMessage({ contents }: MoveRecord): GrpcTypes.CoinMetadata {
  const { id, decimals, name, symbol, description, iconUrl } = CoinMetadata.parse(contents);
  return { id, decimals, name, symbol, description, ...(iconUrl !== null && { iconUrl }) };
}

function treasuryMessage({ contents }: MoveRecord): GrpcTypes.CoinTreasury {
  const { id, totalSupply } = TreasuryCap.parse(contents);
  return {
    id,
    totalSupply: BigInt(totalSupply),
    supplyState: GrpcTypes.CoinTreasury_SupplyState.SUPPLY_STATE_UNKNOWN,
  };
}

import type { ProtocolConfig } from './types.ts';

/** The newest protocol version that the SDK in use can decode. */
export const protocolVersion = 138n;

/** MIST per computation unit; what is paid below it is refused. */
export const referenceGasPrice = 1_000n;

/** One epoch without end: nothing on this network depends on the next one. */
export const onlyEpoch = 0n;

/**
 * Bounds on one transaction, with the chain's names and values where the chain has them. Commands, arguments, type
 * arguments, modules and dependencies must be fewer than these, pure arguments shorter; the rest may be as many.
 */
export const limits = {
  maxTransactionBytes: 131_072,
  maxInputObjects: 2_048,
  maxGasPaymentObjects: 256,
  maxCommands: 1_024,
  maxArguments: 512,
  maxTypeArguments: 16,
  maxTypeArgumentDepth: 16,
  maxModulesInPublish: 64,
  maxPackageDependencies: 32,
  maxPureArgumentBytes: 16_384,
  maxPublishCommands: 5,
  maxGasPrice: 100_000n,
  /** MIST. */
  maxGasBudget: 50_000_000_000n,
  maxEvents: 1_024,
  maxEffectsBytes: 524_288,
} as const;

export const protocolConfig: ProtocolConfig = {
  protocolVersion,
  // Whatever a client may detect and this network lacks is said to be off.
  featureFlags: {
    enable_address_balance_gas_payments: true,
    enable_accumulators: true,
    enable_coin_reservation_obj_refs: true,
    zklogin_auth: false,
  },
  attributes: {
    max_tx_size_bytes: String(limits.maxTransactionBytes),
    max_input_objects: String(limits.maxInputObjects),
    max_gas_payment_objects: String(limits.maxGasPaymentObjects),
    max_programmable_tx_commands: String(limits.maxCommands),
    max_arguments: String(limits.maxArguments),
    max_type_arguments: String(limits.maxTypeArguments),
    max_type_argument_depth: String(limits.maxTypeArgumentDepth),
    max_modules_in_publish: String(limits.maxModulesInPublish),
    max_package_dependencies: String(limits.maxPackageDependencies),
    max_pure_argument_size: String(limits.maxPureArgumentBytes),
    max_publish_or_upgrade_per_ptb: String(limits.maxPublishCommands),
    max_gas_price: String(limits.maxGasPrice),
    max_tx_gas: String(limits.maxGasBudget),
    max_num_event_emit: String(limits.maxEvents),
    max_serialized_tx_effects_size_bytes: String(limits.maxEffectsBytes),
  },
};

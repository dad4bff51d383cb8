import type { SuiGrpcClient } from '@mysten/sui/grpc';

/** The part of a node's client that drafting asks. */
export type ToolsClient = Pick<
  SuiGrpcClient,
  'ledgerService' | 'movePackageService' | 'stateService' | 'simulateTransaction'
>;

/** Of each call to a node. */
export const timeoutMs = 5_000;

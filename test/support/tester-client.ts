import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { testerToken } from './rpcs/record-rpcs.ts';

/** A client of a test's own, whose calls do not count as those of the service. */
export const createTesterClient = (url: string): ChainClient =>
  createChainClient({ url, token: testerToken });

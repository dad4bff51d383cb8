import type { Venue } from '../protocols/venue.ts';
import { adaptor, type DemoAdaptor } from './adaptor.ts';
import { shareLending } from './share-lending.ts';

export const flashLending = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor =>
  adaptor('flash_lending', 'FlashLending', {
    name: 'Reef Flash',
    category: 'Lend',
    summary: 'Lends SUI to flash loans; their fees raise the price of the share.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'reef',
    ops: shareLending(objectId),
  });

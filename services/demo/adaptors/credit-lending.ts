import type { Venue } from '../protocols/venue.ts';
import { adaptor, type DemoAdaptor } from './adaptor.ts';
import { shareLending } from './share-lending.ts';

export const creditLending = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor =>
  adaptor('credit_lending', 'CreditLending', {
    name: 'Anchor Credit',
    category: 'Lend',
    summary: 'Lends dollars to credit lines at a rate that follows demand.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'anchor',
    ops: shareLending(objectId),
  });
